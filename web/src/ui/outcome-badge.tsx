import { Badge } from '@mantine/core'
import type { RecipientOutcome } from '@sendroom/contract/recipient-outcomes'
import { useTranslation } from 'react-i18next'

const colors: Record<RecipientOutcome, string> = {
  Sent: 'green',
  Failed: 'red',
  Waiting: 'yellow',
  Skipped: 'gray',
}

/** The outcome of a message for one recipient. */
export function OutcomeBadge({ status }: { status: RecipientOutcome }) {
  const { t } = useTranslation()
  return (
    <Badge variant="light" color={colors[status]}>
      {t(`JOB.FILTER_${status.toUpperCase()}`)}
    </Badge>
  )
}
