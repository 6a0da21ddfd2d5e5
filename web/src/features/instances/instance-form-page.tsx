import { type Instance, InstanceChange, NewInstance } from '@sendroom/contract/instances'
import { isMaskedToken } from '@sendroom/contract/whapi-token'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../address.ts'
import { call } from '../../api/client.ts'
import { useAction } from '../../api/use-action.ts'
import { useFormData } from '../../forms/use-form-data.ts'
import { useVersioned } from '../../forms/use-versioned.tsx'
import { Loading } from '../../ui/loading.tsx'
import { compareInstance } from './compare-instance.ts'
import { InstanceForm } from './instance-form.tsx'
import { InstanceNow } from './instance-now.tsx'
import { blank, type InstanceValues, valuesOf } from './instance-values.ts'

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
  const data = useFormData(
    'GET /instances/:id',
    { params: { id } },
    { words: 'TOAST.INSTANCE_LOAD_FAILED', leaveTo: '/instances' },
  )
  return data ? <EditLoadedInstance loaded={data} /> : <Loading />
}

function EditLoadedInstance({ loaded }: { loaded: Instance }) {
  const { t } = useTranslation()
  const params = { id: loaded.id }
  const update = useAction('PUT /instances/:id', {
    success: 'TOAST.INSTANCE_UPDATED',
    failure: 'TOAST.INSTANCE_UPDATE_FAILED',
  })
  const { record, save, dialog } = useVersioned({
    loaded,
    read: () => call('GET /instances/:id', { params }),
    send: ({ whapiToken, ...values }: InstanceValues, version) => {
      // Left as it was, the token stays, also if somebody else has replaced it meanwhile.
      const token = isMaskedToken(whapiToken) ? {} : { whapiToken }
      return update.mutateAsync({ params, body: { ...values, ...token, version: version.current } })
    },
    compare: compareInstance,
  })
  return (
    <>
      <InstanceForm
        key={record.version}
        title={t('ACCOUNT_FORM.EDIT_TITLE')}
        schema={InstanceChange}
        initialValues={valuesOf(record)}
        isTest={record.isTest}
        approverCount={record.approverCount}
        save={save}
      >
        <InstanceNow instance={record} />
      </InstanceForm>
      {dialog}
    </>
  )
}
