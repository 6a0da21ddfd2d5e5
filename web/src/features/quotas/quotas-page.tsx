import { Quotas } from '@sendroom/contract/quotas'
import { useAction } from '../../api/use-action.ts'
import { NumbersPage } from '../../forms/numbers-page.tsx'
import { useFormData } from '../../forms/use-form-data.ts'

const fields = [
  { name: 'recipientsPerUser', label: 'QUOTAS.RECIPIENTS_USER', hint: 'QUOTAS.RECIPIENTS_USER_HINT' },
  {
    name: 'recipientsPerInstance',
    label: 'QUOTAS.RECIPIENTS_ACCOUNT',
    hint: 'QUOTAS.RECIPIENTS_ACCOUNT_HINT',
  },
  { name: 'syncsPerDay', label: 'QUOTAS.SYNCS', hint: 'QUOTAS.SYNCS_HINT' },
  { name: 'searchesAtOnce', label: 'QUOTAS.SEARCHES', hint: 'QUOTAS.SEARCHES_HINT' },
  { name: 'imageMegabytesPerUser', label: 'QUOTAS.IMAGES', hint: 'QUOTAS.IMAGES_HINT' },
] as const

/** How much one user and one instance may take. */
export function QuotasPage() {
  const data = useFormData('GET /quotas', {}, { words: 'TOAST.QUOTAS_LOAD_FAILED', leaveTo: '/settings' })
  const update = useAction('PUT /quotas', {
    success: 'TOAST.QUOTAS_SAVED',
    failure: 'TOAST.QUOTAS_SAVE_FAILED',
  })
  return (
    <NumbersPage
      title="QUOTAS.TITLE"
      hint="QUOTAS.HINT"
      schema={Quotas}
      fields={fields}
      data={data}
      save={(body) => update.mutateAsync({ body })}
    />
  )
}
