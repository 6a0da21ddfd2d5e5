import type { ContactList } from '@sendroom/contract/lists'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../address.ts'
import { call } from '../../api/client.ts'
import { useAction } from '../../api/use-action.ts'
import { useFormData } from '../../forms/use-form-data.ts'
import { useVersioned } from '../../forms/use-versioned.tsx'
import { Loading } from '../../ui/loading.tsx'
import { ListForm } from './list-form.tsx'
import { blank, bodyOf, compareList, type ListValues, valuesOf } from './list-values.ts'

/** Edits the list whose id is in the address, or else creates one. */
export function ListFormPage() {
  const id = idOf(useParams({ strict: false }))
  return id === null ? <NewListForm /> : <EditList key={id} id={id} />
}

function NewListForm() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const create = useAction('POST /lists', { success: 'LIST.CREATED', failure: 'LIST.SAVE_FAILED' })
  const created = useRef(0)
  return (
    <ListForm
      title={t('LIST_FORM.CREATE_TITLE')}
      initialValues={blank}
      save={async (values) => {
        created.current = (await create.mutateAsync({ body: bodyOf(values) })).id
      }}
      onSaved={() => navigate({ to: '/lists/$id', params: { id: String(created.current) } })}
      onCancel={() => navigate({ to: '/lists' })}
    />
  )
}

function EditList({ id }: { id: number }) {
  const data = useFormData(
    'GET /lists/:id',
    { params: { id } },
    { words: 'LIST.LOAD_FAILED', leaveTo: '/lists' },
  )
  return data ? <EditLoadedList loaded={data} /> : <Loading />
}

function EditLoadedList({ loaded }: { loaded: ContactList }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const params = { id: loaded.id }
  const update = useAction('PUT /lists/:id', { success: 'LIST.SAVED', failure: 'LIST.SAVE_FAILED' })
  const { record, save, dialog } = useVersioned({
    loaded,
    read: () => call('GET /lists/:id', { params }),
    send: (values: ListValues, version) =>
      update.mutateAsync({ params, body: { ...bodyOf(values), version: version.current } }),
    compare: compareList,
  })
  const toList = () => navigate({ to: '/lists/$id', params: { id: String(loaded.id) } })
  return (
    <>
      <ListForm
        key={record.version}
        title={t('LIST_FORM.EDIT_TITLE')}
        isEdit
        initialValues={valuesOf(record)}
        save={save}
        onSaved={toList}
        onCancel={toList}
      />
      {dialog}
    </>
  )
}
