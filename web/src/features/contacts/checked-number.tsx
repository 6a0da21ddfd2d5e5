import { Text } from '@mantine/core'
import type { NumberCheck } from '@sendroom/contract/number-checks'
import { useTranslation } from 'react-i18next'
import { formatDate } from '../../format.ts'

/** Whether a number is on WhatsApp, since when that is known, and if by a test account. Nothing if not checked. */
export function CheckedNumber({ check }: { check: NumberCheck | undefined }) {
  const { t } = useTranslation()
  if (!check || (!check.answer && !check.isWaiting)) return null
  const { answer, checkedAt, isTest } = check
  return (
    <Text span size="xs" c={answer === 'no' ? 'var(--mantine-color-error)' : 'dimmed'}>
      {' · '}
      {answer
        ? t(`NUMBER_CHECK.${answer.toUpperCase()}_AT`, { date: formatDate(checkedAt) })
        : t('NUMBER_CHECK.IN_LINE')}
      {isTest && ` · ${t('ACCOUNT.TEST')}`}
    </Text>
  )
}
