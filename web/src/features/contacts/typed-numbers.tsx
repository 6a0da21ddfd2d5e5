import { Stack, Text, Textarea, type TextareaProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { NumberCheckPreview } from '@sendroom/contract/number-checks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { failureText, fieldTexts } from '../../api/failure.ts'
import { formatNumber } from '../../format.ts'
import { enumerated, labelled } from '../../i18n/punctuation.ts'
import { counted, sentences } from '../../i18n/words.ts'

/** The numbers are read after this time without a change. */
const SETTLED_MS = 400

type Props = { value: string; onChange: (text: string) => void; error: TextareaProps['error'] }

/** A field for phone numbers, and below it what a check understands of them. */
export function TypedNumbers({ value, onChange, error }: Props) {
  const { t } = useTranslation()
  const [phoneNumbers] = useDebouncedValue(value, SETTLED_MS)
  const isEmpty = value.trim() === ''
  const { data, error: failure } = useQuery({
    queryKey: ['number-check-preview', phoneNumbers],
    queryFn: ({ signal }) => call('POST /number-checks/preview', { body: { phoneNumbers } }, signal),
    enabled: !isEmpty && phoneNumbers.trim() !== '',
    placeholderData: keepPreviousData,
    // No cache: lists can be large, and each one is read only once.
    gcTime: 0,
    meta: { isQuiet: true },
  })
  return (
    <Stack gap="xs">
      <Textarea
        label={t('NUMBER_CHECK.NUMBERS')}
        description={t('NUMBER_CHECK.NUMBERS_HINT')}
        placeholder={'0901234567\n+84 912 345 678'}
        required
        autosize
        minRows={4}
        maxRows={10}
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error || (!isEmpty && failure && (fieldTexts(failure).phoneNumbers ?? failureText(failure)))}
      />
      {!isEmpty && data && !failure && <Understood preview={data} />}
    </Stack>
  )
}

function Understood({ preview: { numbers, duplicates, unreadable } }: { preview: NumberCheckPreview }) {
  const { t } = useTranslation()
  const unnamed = unreadable.total - unreadable.first.length
  return (
    <div role="status">
      <Text size="sm" c="dimmed">
        {sentences([
          t('NUMBER_CHECK.FOUND', counted(numbers)),
          duplicates > 0 && t('NUMBER_CHECK.DUPLICATES', counted(duplicates)),
        ])}
      </Text>
      {unreadable.total > 0 && (
        <Text size="sm" c="var(--sendroom-warning)" style={{ overflowWrap: 'anywhere' }}>
          {labelled(t('NUMBER_CHECK.UNREADABLE', counted(unreadable.total)), enumerated(unreadable.first))}
          {unnamed > 0 && ` ${t('COMMON.AND_MORE', { number: formatNumber(unnamed) })}`}
        </Text>
      )}
    </div>
  )
}
