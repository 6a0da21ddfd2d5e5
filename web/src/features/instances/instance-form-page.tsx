import { InstanceChange, NewInstance } from '@sendroom/contract/instances'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { useRedirectOnFailure } from '../../api/use-redirect-on-failure.ts'
import { idOf, paths } from '../../paths.ts'
import { Loading } from '../../ui/loading.tsx'
import { InstanceForm } from './instance-form.tsx'
import { blank, valuesOf } from './instance-values.ts'

/** Edits the instance whose id is in the address, or else creates one. */
export function InstanceFormPage() {
  const id = idOf(useParams({ strict: false }))
  return id === null ? <NewInstanceForm /> : <EditInstance key={id} id={id} />
}

function NewInstanceForm() {
  const { t } = useTranslation()
  const create = useAction('POST /instances', {
    success: 'TOAST.INSTANCE_CREATED',
    failure: 'TOAST.INSTANCE_CREATE_FAILED',
  })
  return (
    <InstanceForm
      title={t('ACCOUNT_FORM.CREATE_TITLE')}
      schema={NewInstance}
      initialValues={blank}
      save={(body) => create.mutateAsync({ body })}
    />
  )
}

function EditInstance({ id }: { id: number }) {
  const { t } = useTranslation()
  const { data, isError } = useRead(
    'GET /instances/:id',
    { params: { id } },
    { gcTime: 0, staleTime: 'static', meta: { words: 'TOAST.INSTANCE_LOAD_FAILED' } },
  )
  const update = useAction('PUT /instances/:id', {
    success: 'TOAST.INSTANCE_UPDATED',
    failure: 'TOAST.INSTANCE_UPDATE_FAILED',
  })
  useRedirectOnFailure(isError, paths.instances)
  if (!data) return <Loading />
  return (
    <InstanceForm
      title={t('ACCOUNT_FORM.EDIT_TITLE')}
      schema={InstanceChange}
      initialValues={valuesOf(data)}
      save={(body) => update.mutateAsync({ params: { id }, body })}
    />
  )
}
