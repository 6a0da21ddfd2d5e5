import { Badge, Button, Group } from '@mantine/core'
import type { User } from '@sendroom/contract/users'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { useAction } from '../../api/use-action.ts'
import { formatDateTime } from '../../format.ts'
import { DataTable } from '../../lists/data-table.tsx'
import { ListPage } from '../../lists/list-page.tsx'
import { RowActions } from '../../lists/row-actions.tsx'
import type { Column } from '../../lists/table.tsx'
import { useList } from '../../lists/use-list.ts'
import { confirm } from '../../ui/confirm.ts'
import { Name } from '../../ui/name.tsx'

const columns: Column<User>[] = [
  { header: 'USER.ID', cell: (user) => user.id, sortBy: 'id' },
  { header: 'USER.USERNAME', cell: (user) => user.username, sortBy: 'username' },
  { header: 'USER.EMAIL', cell: (user) => user.email, sortBy: 'email' },
  { header: 'USER.INSTANCES', cell: (user) => <InstanceBadges user={user} /> },
  { header: 'USER.ROLE', cell: (user) => <RoleName user={user} />, sortBy: 'role', isOneLine: true },
  { header: 'USER.STATUS', cell: (user) => <StatusBadge user={user} />, sortBy: 'isActive' },
  {
    header: 'USER.CREATED_AT',
    cell: (user) => formatDateTime(user.createdAt),
    sortBy: 'createdAt',
    isOneLine: true,
  },
]

export function UsersPage() {
  const { t } = useTranslation()
  const list = useList({
    feature: 'users',
    sortFields: ['id', 'username', 'email', 'role', 'isActive', 'createdAt'],
    defaultSort: null,
    sortDirection: 'desc',
    load: (query, signal) => call('GET /users', { query }, signal),
  })
  return (
    <ListPage
      title="USER.TITLE"
      list={list}
      buttons={
        <Button component={Link} to="/users/new" leftSection={<IconPlus size={16} aria-hidden />}>
          {t('USER.ADD')}
        </Button>
      }
    >
      <DataTable
        list={list}
        label="USER.TITLE"
        columns={columns}
        empty={list.query.search === '' ? 'COMMON.NO_DATA' : 'COMMON.NO_DATA_FOUND'}
        actions={(user) => <UserActions user={user} />}
      />
    </ListPage>
  )
}

function UserActions({ user }: { user: User }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const remove = useAction('DELETE /users/:id', { success: 'TOAST.USER_DELETED' })
  const askAndRemove = async () => {
    const isSure = await confirm({
      title: t('USER.DELETE_TITLE'),
      message: t('USER.CONFIRM_DELETE', { name: user.username }),
      confirmText: t('COMMON.DELETE'),
      confirmColor: 'red',
    })
    if (isSure) remove.mutate({ params: { id: user.id } })
  }
  return (
    <RowActions
      actions={[
        {
          label: t('COMMON.EDIT'),
          icon: IconPencil,
          onClick: () => navigate({ to: '/users/edit/$id', params: { id: String(user.id) } }),
        },
        {
          label: t('COMMON.DELETE'),
          icon: IconTrash,
          tone: 'danger',
          loading: remove.isPending,
          onClick: askAndRemove,
        },
      ]}
    />
  )
}

const InstanceBadges = ({ user }: { user: User }) => (
  <Group gap={4}>
    {user.assignedInstances.length === 0 && '–'}
    {user.assignedInstances.map((instance) => (
      <Badge
        key={instance.id}
        variant="light"
        color="gray"
        h="auto"
        maw="100%"
        styles={{ label: { whiteSpace: 'normal' } }}
      >
        <Name>{instance.name}</Name>
      </Badge>
    ))}
  </Group>
)

function RoleName({ user }: { user: User }) {
  const { t } = useTranslation()
  return t(`USER.ROLE_${user.role.toUpperCase()}`)
}

function StatusBadge({ user }: { user: User }) {
  const { t } = useTranslation()
  return (
    <Group gap={4}>
      <Badge variant="light" color={user.isActive ? 'green' : 'red'}>
        {user.isActive ? t('USER.ACTIVE') : t('USER.LOCKED')}
      </Badge>
      {user.isWaiting && (
        <Badge variant="light" color="yellow">
          {t('USER.WAITING')}
        </Badge>
      )}
    </Group>
  )
}
