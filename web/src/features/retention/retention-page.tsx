import { Retention } from '@sendroom/contract/retention'
import { useAction } from '../../api/use-action.ts'
import { NumbersPage } from '../../forms/numbers-page.tsx'
import { useFormData } from '../../forms/use-form-data.ts'

const fields = [
  { name: 'deliveryDays', label: 'RETENTION.DELIVERIES', hint: 'RETENTION.DELIVERIES_HINT' },
  { name: 'logDays', label: 'RETENTION.LOGS', hint: 'RETENTION.LOGS_HINT' },
  { name: 'receiptDays', label: 'RETENTION.RECEIPTS', hint: 'RETENTION.RECEIPTS_HINT' },
  { name: 'messageDays', label: 'RETENTION.MESSAGES', hint: 'RETENTION.MESSAGES_HINT' },
  { name: 'groupDays', label: 'RETENTION.GROUPS', hint: 'RETENTION.GROUPS_HINT' },
  { name: 'contactDays', label: 'RETENTION.CONTACTS', hint: 'RETENTION.CONTACTS_HINT' },
] as const

/** How many days details of jobs, and what nobody uses, are kept. */
export function RetentionPage() {
  const data = useFormData(
    'GET /retention',
    {},
    { words: 'TOAST.RETENTION_LOAD_FAILED', leaveTo: '/settings' },
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
      data={data}
      save={(body) => update.mutateAsync({ body })}
    />
  )
}
