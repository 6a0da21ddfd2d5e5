import { Text, TextInput } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { Quotas } from '@sendroom/contract/quotas'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { useRedirectOnFailure } from '../../api/use-redirect-on-failure.ts'
import { FormPage } from '../../forms/form-page.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { paths } from '../../paths.ts'
import { Loading } from '../../ui/loading.tsx'

/** How much one user and one account may take. */
export function QuotasPage() {
  const { data, isError } = useRead(
    'GET /quotas',
    {},
    { gcTime: 0, staleTime: 'static', meta: { words: 'TOAST.QUOTAS_LOAD_FAILED' } },
  )
  useRedirectOnFailure(isError, paths.dashboard)
  return data ? <QuotasForm initialValues={data} /> : <Loading />
}

const fields = [
  { name: 'recipientsPerUser', label: 'QUOTAS.RECIPIENTS_USER', hint: 'QUOTAS.RECIPIENTS_HINT' },
  { name: 'recipientsPerInstance', label: 'QUOTAS.RECIPIENTS_ACCOUNT', hint: 'QUOTAS.RECIPIENTS_HINT' },
  { name: 'syncsPerDay', label: 'QUOTAS.SYNCS', hint: 'QUOTAS.SYNCS_HINT' },
  { name: 'searchesAtOnce', label: 'QUOTAS.SEARCHES', hint: 'QUOTAS.SEARCHES_HINT' },
  { name: 'imageMegabytesPerUser', label: 'QUOTAS.IMAGES', hint: 'QUOTAS.IMAGES_HINT' },
] as const

function QuotasForm({ initialValues }: { initialValues: Quotas }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const update = useAction('PUT /quotas', {
    success: 'TOAST.QUOTAS_SAVED',
    failure: 'TOAST.QUOTAS_SAVE_FAILED',
  })
  const { form, onSubmit } = useContractForm(Quotas, {
    initialValues,
    send: (body) => update.mutateAsync({ body }),
  })
  return (
    <FormPage
      title={t('QUOTAS.TITLE')}
      isBusy={form.submitting}
      onSubmit={onSubmit}
      onCancel={() => navigate({ to: paths.dashboard })}
    >
      <Text size="sm" c="dimmed">
        {t('QUOTAS.HINT')}
      </Text>
      {fields.map(({ name, label, hint }) => {
        const { value, onChange, ...props } = form.getInputProps(name)
        return (
          <TextInput
            key={name}
            label={t(label)}
            description={t(hint)}
            type="number"
            min={1}
            max={limits.quota}
            required
            {...props}
            value={value || ''}
            onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
          />
        )
      })}
    </FormPage>
  )
}
