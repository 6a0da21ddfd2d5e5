import type { Right } from '@sendroom/contract/rights'
import { NewUser, type User, UserChange } from '@sendroom/contract/users'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { currentUser, isAdmin, updateUser } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { useRedirectOnFailure } from '../../api/use-redirect-on-failure.ts'
import { idOf, paths } from '../../paths.ts'
import { Loading } from '../../ui/loading.tsx'
import { UserForm, type UserValues } from './user-form.tsx'

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
    const { id } = await create.mutateAsync({ body: values })
    // The user exists by now. Staying on the form after a failed assignment would invite to create them again.
    if (values.assignedInstances.length > 0) await assign(id, values).catch(() => {})
  }
  return <UserForm title={t('USER_FORM.CREATE_TITLE')} schema={NewUser} initialValues={blank} save={save} />
}

function EditUser({ id }: { id: number }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { data, isError } = useRead(
    'GET /users/:id',
    { params: { id } },
    { gcTime: 0, staleTime: 'static', meta: { words: 'TOAST.USER_LOAD_FAILED' } },
  )
  const update = useAction('PUT /users/:id', {
    success: 'TOAST.USER_UPDATED',
    failure: 'TOAST.USER_UPDATE_FAILED',
  })
  const assign = useAssign()
  useRedirectOnFailure(isError, paths.users)
  if (!data) return <Loading />
  const save = async (values: UserValues) => {
    const user = await update.mutateAsync({ params: { id }, body: values })
    if (isAdmin(user) || id !== currentUser()?.id) return assign(id, values)
    // Admins who made themselves a Member may not assign instances any more; the update has already done that.
    // Leaves the Admin pages before `updateUser` closes them.
    await navigate({ to: paths.dashboard })
    updateUser(user)
  }
  return (
    <UserForm
      title={t('USER_FORM.EDIT_TITLE')}
      isEdit
      schema={UserChange}
      initialValues={valuesOf(data)}
      save={save}
    />
  )
}

function useAssign() {
  const { mutateAsync } = useAction('POST /users/:id/assign-instances', {
    success: 'TOAST.INSTANCES_ASSIGNED',
    failure: 'TOAST.ASSIGN_FAILED',
  })
  return (id: number, values: UserValues) =>
    mutateAsync({ params: { id }, body: { instanceIds: values.assignedInstances, ...rightsOf(values) } })
}

const rightsOf = (user: Record<Right, boolean>) => ({
  canSendMessages: user.canSendMessages,
  canCreateJobs: user.canCreateJobs,
  canLinkAccounts: user.canLinkAccounts,
  canExportParticipants: user.canExportParticipants,
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
