import { Divider } from '@mantine/core'
import { type RightField, rightFields } from '@sendroom/contract/rights'
import { NewUser, type User, UserChange } from '@sendroom/contract/users'
import { useNavigate, useParams } from '@tanstack/react-router'
import i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../address.ts'
import { call, readUserAgain } from '../../api/client.ts'
import { currentUser, isAdmin } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { type Difference, differenceOf, hideSecret, InstanceNames, sorted } from '../../forms/differences.tsx'
import { useFormData } from '../../forms/use-form-data.ts'
import { useVersioned, type Version } from '../../forms/use-versioned.tsx'
import { Sessions } from '../../lists/sessions.tsx'
import { Loading } from '../../ui/loading.tsx'
import { UserFactor } from './user-factor.tsx'
import { RIGHT_LABELS, UserForm, type UserValues } from './user-form.tsx'

const blank: UserValues = {
  username: '',
  email: '',
  password: '',
  role: 'Member',
  isActive: true,
  canSendMessages: true,
  canCreateJobs: true,
  canLinkAccounts: true,
  canExportParticipants: true,
  canUseContacts: false,
  canManageContacts: false,
  canApproveJobs: false,
  canMentionAll: false,
  assignedInstances: [],
}

/** Edits the user whose id is in the address, or else creates one. */
export function UserFormPage() {
  const id = idOf(useParams({ strict: false }))
  return id === null ? <NewUserForm /> : <EditUser key={id} id={id} />
}

function NewUserForm() {
  const { t } = useTranslation()
  const create = useAction('POST /users', {
    success: 'TOAST.USER_CREATED',
    failure: 'TOAST.USER_CREATE_FAILED',
  })
  const assign = useAssign()
  const save = async (values: UserValues) => {
    const { id, version } = await create.mutateAsync({ body: values })
    // The user exists by now. Staying on the form after a failed assignment would invite to create them again.
    if (values.assignedInstances.length > 0) await assign(id, values, version).catch(() => {})
  }
  return <UserForm title={t('USER_FORM.CREATE_TITLE')} schema={NewUser} initialValues={blank} save={save} />
}

function EditUser({ id }: { id: number }) {
  const data = useFormData(
    'GET /users/:id',
    { params: { id } },
    { words: 'TOAST.USER_LOAD_FAILED', leaveTo: '/users' },
  )
  return data ? <EditLoadedUser loaded={data} /> : <Loading />
}

function EditLoadedUser({ loaded }: { loaded: User }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { id } = loaded
  const update = useAction('PUT /users/:id', {
    success: 'TOAST.USER_UPDATED',
    failure: 'TOAST.USER_UPDATE_FAILED',
  })
  const assign = useAssign()
  const send = async (values: UserValues, version: Version) => {
    const user = await update.mutateAsync({ params: { id }, body: { ...values, version: version.current } })
    version.current = user.version
    if (isAdmin(user) || id !== currentUser()?.id) return assign(id, values, version.current)
    // Admins who made themselves a Member may not assign instances any more; the update has already done that.
    // Leaves the Admin pages before their new role closes them.
    await navigate({ to: '/dashboard' })
    await readUserAgain()
  }
  const read = () => call('GET /users/:id', { params: { id } })
  const { record, save, dialog } = useVersioned({ loaded, read, send, compare })
  return (
    <>
      <UserForm
        key={record.version}
        title={t('USER_FORM.EDIT_TITLE')}
        isEdit
        schema={UserChange}
        initialValues={valuesOf(record)}
        save={save}
      />
      <Divider my="xl" />
      <UserFactor user={loaded} />
      <Sessions userId={id} />
      {dialog}
    </>
  )
}

function compare(mine: UserValues, user: User): Difference[] {
  const theirs = valuesOf(user)
  const showRole = (role: UserValues['role']) => i18next.t(`USER.ROLE_${role.toUpperCase()}`)
  const showNames = (ids: number[]) => <InstanceNames ids={ids} />
  return [
    ...differenceOf('USER_FORM.USERNAME', mine.username, theirs.username),
    ...differenceOf('USER_FORM.EMAIL', mine.email, theirs.email),
    ...differenceOf('USER_FORM.PASSWORD', mine.password, theirs.password, hideSecret),
    ...differenceOf('USER_FORM.ROLE', mine.role, theirs.role, showRole),
    ...differenceOf('USER_FORM.IS_ACTIVE', mine.isActive, theirs.isActive),
    ...differenceOf(
      'USER_FORM.INSTANCES',
      sorted(mine.assignedInstances),
      sorted(theirs.assignedInstances),
      showNames,
    ),
    ...rightFields.flatMap((field) => differenceOf(RIGHT_LABELS[field], mine[field], theirs[field])),
  ]
}

function useAssign() {
  const { mutateAsync } = useAction('POST /users/:id/assign-instances', {
    success: 'TOAST.INSTANCES_ASSIGNED',
    failure: 'TOAST.ASSIGN_FAILED',
  })
  return (id: number, values: UserValues, version: number) =>
    mutateAsync({
      params: { id },
      body: { instanceIds: values.assignedInstances, ...rightsOf(values), version },
    })
}

const rightsOf = (user: Record<RightField, boolean>) => ({
  canSendMessages: user.canSendMessages,
  canCreateJobs: user.canCreateJobs,
  canLinkAccounts: user.canLinkAccounts,
  canExportParticipants: user.canExportParticipants,
  canUseContacts: user.canUseContacts,
  canManageContacts: user.canManageContacts,
  canApproveJobs: user.canApproveJobs,
  canMentionAll: user.canMentionAll,
})

const valuesOf = ({ username, email, role, isActive, ...user }: User): UserValues => ({
  username,
  email,
  password: '',
  role,
  isActive,
  ...rightsOf(user),
  assignedInstances: user.assignedInstances.map(({ id }) => id),
})
