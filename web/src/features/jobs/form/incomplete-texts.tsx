import { Alert, Checkbox, Stack, Text, TextInput } from '@mantine/core'
import type { JobPreview } from '@sendroom/contract/new-jobs'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../format.ts'
import { enumerated } from '../../../i18n/punctuation.ts'
import { counted } from '../../../i18n/words.ts'
import type { Values } from './new-job-values.ts'

export type Choices = Pick<Values, 'fallbacks' | 'leaveOutIncomplete'>

type Props = {
  incomplete: JobPreview['incomplete']
  choices: Choices
  onChoose: (choices: Partial<Choices>) => void
  /** The errors of fallbacks, by the key of the variable. */
  errorOf: (key: string) => string | undefined
}

/** Names who lacks a value for a variable, and lets the user leave them out or write what stands there instead. */
export function IncompleteTexts({ incomplete, choices, onChoose, errorOf }: Props) {
  const { t } = useTranslation()
  const { fallbacks, leaveOutIncomplete } = choices
  // A field stays when its text has made all complete.
  const written = Object.keys(fallbacks).filter((key) => fallbacks[key] !== '')
  const keys = [...new Set([...incomplete.variables, ...written])].sort()
  if (incomplete.total === 0 && keys.length === 0) return null
  const unnamed = incomplete.total - incomplete.first.length
  return (
    <Alert
      color={incomplete.total > 0 && !leaveOutIncomplete ? 'red' : 'gray'}
      title={t('JOB.PREVIEW_INCOMPLETE', counted(incomplete.total))}
    >
      <Stack gap="xs">
        {incomplete.total > 0 && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {enumerated(incomplete.first)}
            {unnamed > 0 && ` ${t('COMMON.AND_MORE', { number: formatNumber(unnamed) })}`}
          </Text>
        )}
        <Checkbox
          label={t('JOB.LEAVE_OUT_INCOMPLETE')}
          checked={leaveOutIncomplete}
          onChange={(event) => onChoose({ leaveOutIncomplete: event.currentTarget.checked })}
        />
        {keys.map((key) => (
          <TextInput
            key={key}
            label={t('JOB.FALLBACK', { variable: `{{${key}}}` })}
            value={fallbacks[key] ?? ''}
            onChange={(event) => onChoose({ fallbacks: { ...fallbacks, [key]: event.currentTarget.value } })}
            error={errorOf(key)}
          />
        ))}
      </Stack>
    </Alert>
  )
}
