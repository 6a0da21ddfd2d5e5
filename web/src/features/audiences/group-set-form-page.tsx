import type { GroupSet } from '@sendroom/contract/group-sets'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../address.ts'
import { call } from '../../api/client.ts'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { type Difference, differenceOf, GroupNames, sorted } from '../../forms/differences.tsx'
import { ClosedForm } from '../../forms/form-page.tsx'
import { useFormData } from '../../forms/use-form-data.ts'
import { useVersioned } from '../../forms/use-versioned.tsx'
import { enumerated } from '../../i18n/punctuation.ts'
import { Loading } from '../../ui/loading.tsx'
import { GroupSetForm, type GroupSetValues } from './group-set-form.tsx'

const blank: GroupSetValues = { name: '', instanceId: 0, groupIds: [], isForAll: false, userIds: [] }

/** Edits the set of groups whose id is in the address, or else creates one. */
export function GroupSetFormPage() {
  const { t } = useTranslation()
  const id = idOf(useParams({ strict: false }))
  if (!mayDo('canCreateJobs', useCurrentUser()))
    return <ClosedForm title={t('GROUP_SET.TITLE')} reason={t('GROUP_SET.NOT_ALLOWED')} />
  return id === null ? <NewSet /> : <EditSet key={id} id={id} />
}

function NewSet() {
  const { t } = useTranslation()
  const create = useAction('POST /group-sets', {
    success: 'GROUP_SET.CREATED',
    failure: 'GROUP_SET.SAVE_FAILED',
  })
  return (
    <GroupSetForm
      title={t('GROUP_SET.ADD')}
      initialValues={blank}
      save={(body) => create.mutateAsync({ body })}
    />
  )
}

function EditSet({ id }: { id: number }) {
  const { t } = useTranslation()
  const data = useFormData(
    'GET /group-sets/:id',
    { params: { id } },
    { words: 'GROUP_SET.LOAD_FAILED', leaveTo: '/group-sets' },
  )
  if (!data) return <Loading />
  return data.canChange ? (
    <EditLoadedSet loaded={data} />
  ) : (
    <ClosedForm title={data.name} reason={t('GROUP_SET.NOT_OWNER')} />
  )
}

function EditLoadedSet({ loaded }: { loaded: GroupSet }) {
  const { t } = useTranslation()
  const params = { id: loaded.id }
  const update = useAction('PUT /group-sets/:id', {
    success: 'GROUP_SET.SAVED',
    failure: 'GROUP_SET.SAVE_FAILED',
  })
  const { record, save, dialog } = useVersioned({
    loaded,
    read: () => call('GET /group-sets/:id', { params }),
    send: ({ instanceId: _, ...values }: GroupSetValues, version) =>
      update.mutateAsync({ params, body: { ...values, version: version.current } }),
    compare,
  })
  return (
    <>
      <GroupSetForm
        key={record.version}
        title={t('GROUP_SET.EDIT_TITLE')}
        set={record}
        initialValues={valuesOf(record)}
        save={save}
      />
      {dialog}
    </>
  )
}

const valuesOf = ({ name, instance, groups, isForAll, users }: GroupSet): GroupSetValues => ({
  name,
  instanceId: instance.id,
  groupIds: groups.map(({ id }) => id),
  isForAll,
  userIds: users.map(({ id }) => id),
})

function compare(mine: GroupSetValues, set: GroupSet): Difference[] {
  const theirs = valuesOf(set)
  const showGroups = (ids: number[]) => <GroupNames instanceId={mine.instanceId} ids={ids} />
  const nameOf = new Map(set.users.map(({ id, name }) => [id, name]))
  const showUsers = (ids: number[]) => enumerated(ids.map((id) => nameOf.get(id) ?? `#${id}`))
  return [
    ...differenceOf('LIST.NAME', mine.name, theirs.name),
    ...differenceOf('FORM.GROUPS', sorted(mine.groupIds), sorted(theirs.groupIds), showGroups),
    ...differenceOf('GROUP_SET.IS_FOR_ALL', mine.isForAll, theirs.isForAll),
    ...differenceOf('LIST.SHARED', sorted(mine.userIds), sorted(theirs.userIds), showUsers),
  ]
}
