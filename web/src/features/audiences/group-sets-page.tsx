import { Badge, Group, Text } from '@mantine/core'
import type { GroupSetRow } from '@sendroom/contract/group-sets'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { formatNumber } from '../../format.ts'
import { DataTable } from '../../lists/data-table.tsx'
import { AddButton } from '../../lists/list-buttons.tsx'
import { ListPage } from '../../lists/list-page.tsx'
import { RowActions } from '../../lists/row-actions.tsx'
import type { Column } from '../../lists/table.tsx'
import { useList } from '../../lists/use-list.ts'
import { confirm } from '../../ui/confirm.ts'
import { Name } from '../../ui/name.tsx'

const columns: Column<GroupSetRow>[] = [
  { header: 'LIST.NAME', cell: ({ name }) => <Name>{name}</Name>, sortBy: 'name', line: 1 },
  { header: 'FORM.GROUPS', cell: (set) => <GroupCount set={set} />, isOneLine: true, line: 2 },
  { header: 'FORM.INSTANCE', cell: ({ instance }) => <Name>{instance.name}</Name>, line: 2 },
  { header: 'GROUP_SET.OWNER', cell: ({ createdByUserName }) => <Name>{createdByUserName}</Name>, line: 3 },
]

/** The sets of groups that the user may use. */
export function GroupSetsPage() {
  const { t } = useTranslation()
  const mayCreate = mayDo('canCreateJobs', useCurrentUser())
  const list = useList({
    feature: 'group-sets',
    sortFields: ['name', 'createdAt', 'id'],
    sortDirection: 'asc',
    load: (query, signal) => call('GET /group-sets', { query }, signal),
  })
  const add = (
    <AddButton
      to="/group-sets/new"
      label="GROUP_SET.ADD"
      reason={mayCreate ? undefined : t('GROUP_SET.NOT_ALLOWED')}
    />
  )
  return (
    <ListPage title="GROUP_SET.TITLE" list={list} buttons={add}>
      <DataTable
        list={list}
        label="GROUP_SET.TITLE"
        columns={columns}
        empty={list.query.search ? 'COMMON.NO_DATA_FOUND' : 'GROUP_SET.EMPTY'}
        actions={(set) => <Actions set={set} mayCreate={mayCreate} />}
      />
    </ListPage>
  )
}

function GroupCount({ set: { groupCount, leftCount } }: { set: GroupSetRow }) {
  const { t } = useTranslation()
  return (
    <Group gap={6}>
      <Text size="sm">{formatNumber(groupCount)}</Text>
      {leftCount > 0 && (
        <Badge size="sm" variant="outline" color="gray" title={t('GROUP.LEFT_HINT')}>
          {t('GROUP_SET.LEFT', { number: formatNumber(leftCount) })}
        </Badge>
      )}
    </Group>
  )
}

function Actions({ set: { id, name, canChange }, mayCreate }: { set: GroupSetRow; mayCreate: boolean }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const remove = useAction('DELETE /group-sets/:id', { success: 'GROUP_SET.DELETED' })
  const askAndRemove = async () => {
    const isSure = await confirm({
      title: t('GROUP_SET.DELETE_TITLE'),
      message: t('GROUP_SET.CONFIRM_DELETE', { name }),
      confirmText: t('COMMON.DELETE'),
      confirmColor: 'red',
    })
    if (isSure) remove.mutate({ params: { id } })
  }
  const notOwner = canChange ? undefined : t('GROUP_SET.NOT_OWNER')
  const reason = mayCreate ? notOwner : t('GROUP_SET.NOT_ALLOWED')
  return (
    <RowActions
      actions={[
        {
          label: t('COMMON.EDIT'),
          icon: IconPencil,
          reason,
          onClick: () => navigate({ to: '/group-sets/edit/$id', params: { id: String(id) } }),
        },
        {
          label: t('COMMON.DELETE'),
          icon: IconTrash,
          tone: 'danger',
          reason,
          loading: remove.isPending,
          onClick: askAndRemove,
        },
      ]}
    />
  )
}
