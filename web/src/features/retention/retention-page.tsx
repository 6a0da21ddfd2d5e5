import { Text, TextInput } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { Retention } from '@sendroom/contract/retention'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { useRedirectOnFailure } from '../../api/use-redirect-on-failure.ts'
import { FormPage } from '../../forms/form-page.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { paths } from '../../paths.ts'
import { Loading } from '../../ui/loading.tsx'

/** How many days details of jobs are kept. */
export function RetentionPage() {
  const { data, isError } = useRead(
    'GET /retention',
    {},
    { gcTime: 0, staleTime: 'static', meta: { words: 'TOAST.RETENTION_LOAD_FAILED' } },
  )
  useRedirectOnFailure(isError, paths.dashboard)
  return data ? <RetentionForm initialValues={data} /> : <Loading />
}

const fields = [
  { name: 'deliveryDays', label: 'RETENTION.DELIVERIES', hint: 'RETENTION.DELIVERIES_HINT' },
  { name: 'logDays', label: 'RETENTION.LOGS', hint: 'RETENTION.LOGS_HINT' },
  { name: 'receiptDays', label: 'RETENTION.RECEIPTS', hint: 'RETENTION.RECEIPTS_HINT' },
] as const

function RetentionForm({ initialValues }: { initialValues: Retention }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const update = useAction('PUT /retention', {
    success: 'TOAST.RETENTION_SAVED',
    failure: 'TOAST.RETENTION_SAVE_FAILED',
  })
  const { form, onSubmit } = useContractForm(Retention, {
    initialValues,
    send: (body) => update.mutateAsync({ body }),
  })
  return (
    <FormPage
      title={t('RETENTION.TITLE')}
      isBusy={form.submitting}
      onSubmit={onSubmit}
      onCancel={() => navigate({ to: paths.dashboard })}
    >
      <Text size="sm" c="dimmed">
        {t('RETENTION.HINT')}
      </Text>
      {fields.map(({ name, label, hint }) => {
        const { value, onChange, ...props } = form.getInputProps(name)
        return (
          <TextInput
            key={name}
            label={t(label)}
            description={t(hint)}
            type="number"
            min={limits.receiptDays}
            max={limits.retentionDays}
            placeholder={t('RETENTION.FOREVER')}
            {...props}
            value={value ?? ''}
            onChange={({ currentTarget }) =>
              onChange(currentTarget.value === '' ? null : Number(currentTarget.value))
            }
          />
        )
      })}
    </FormPage>
  )
}
