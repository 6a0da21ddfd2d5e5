import { Retention } from '@sendroom/contract/retention'
import { useRead } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { NumbersPage } from '../../forms/numbers-page.tsx'

const fields = [
  { name: 'deliveryDays', label: 'RETENTION.DELIVERIES', hint: 'RETENTION.DELIVERIES_HINT' },
  { name: 'logDays', label: 'RETENTION.LOGS', hint: 'RETENTION.LOGS_HINT' },
  { name: 'receiptDays', label: 'RETENTION.RECEIPTS', hint: 'RETENTION.RECEIPTS_HINT' },
] as const

/** How many days details of jobs are kept. */
export function RetentionPage() {
  const read = useRead(
    'GET /retention',
    {},
    { gcTime: 0, staleTime: 'static', meta: { words: 'TOAST.RETENTION_LOAD_FAILED' } },
  )
  const update = useAction('PUT /retention', {
    success: 'TOAST.RETENTION_SAVED',
    failure: 'TOAST.RETENTION_SAVE_FAILED',
  })
  return (
    <NumbersPage
      title="RETENTION.TITLE"
      hint="RETENTION.HINT"
      empty="RETENTION.FOREVER"
      schema={Retention}
      fields={fields}
      read={read}
      save={(body) => update.mutateAsync({ body })}
    />
  )
}
