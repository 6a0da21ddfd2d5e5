import { Anchor } from '@mantine/core'
import type { ContactList } from '@sendroom/contract/lists'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { formatNumber } from '../../format.ts'
import { DataTable } from '../../lists/data-table.tsx'
import { AddButton } from '../../lists/list-buttons.tsx'
import { ListPage } from '../../lists/list-page.tsx'
import { RowActions } from '../../lists/row-actions.tsx'
import type { Column } from '../../lists/table.tsx'
import { useList } from '../../lists/use-list.ts'
import { Name } from '../../ui/name.tsx'
import { SharedWith } from './shared-with.tsx'
import { useRemoveList } from './use-remove-list.ts'

const columns: Column<ContactList>[] = [
  { header: 'LIST.NAME', cell: (list) => <ListLink list={list} />, sortBy: 'name', line: 1 },
  { header: 'LIST.KIND', cell: ({ kind }) => <Kind kind={kind} />, isOneLine: true, line: 2 },
  {
    header: 'LIST.SIZE',
    cell: ({ size }) => (size === null ? '–' : formatNumber(size)),
    isOneLine: true,
    line: 2,
  },
]
const shared: Column<ContactList> = {
  header: 'LIST.SHARED',
  cell: (list) => <SharedWith {...list} />,
  line: 3,
}

/** The lists of contacts that the user may use. */
export function ListsPage() {
  const isManager = mayDo('canManageContacts', useCurrentUser())
  const list = useList({
    feature: 'lists',
    sortFields: ['name', 'createdAt', 'id'],
    sortDirection: 'asc',
    load: (query, signal) => call('GET /lists', { query }, signal),
  })
  const add = isManager && <AddButton to="/lists/new" label="LIST.ADD" reason={undefined} />
  return (
    <ListPage title="LIST.TITLE" list={list} buttons={add}>
      <DataTable
        list={list}
        label="LIST.TITLE"
        columns={isManager ? [...columns, shared] : columns}
        empty={list.query.search ? 'COMMON.NO_DATA_FOUND' : isManager ? 'LIST.EMPTY' : 'LIST.EMPTY_SHARED'}
        emptyButtons={!list.query.search && add}
        {...(isManager && { actions: (row: ContactList) => <Actions list={row} /> })}
      />
    </ListPage>
  )
}

const ListLink = ({ list }: { list: ContactList }) => (
  <Anchor
    size="sm"
    fw={500}
    renderRoot={(props) => <Link {...props} to="/lists/$id" params={{ id: String(list.id) }} />}
  >
    <Name>{list.name}</Name>
  </Anchor>
)

function Kind({ kind }: Pick<ContactList, 'kind'>) {
  const { t } = useTranslation()
  return t(`LIST.KIND_${kind.toUpperCase()}`)
}

function Actions({ list }: { list: ContactList }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { ask, isPending } = useRemoveList()
  return (
    <RowActions
      actions={[
        {
          label: t('COMMON.EDIT'),
          icon: IconPencil,
          onClick: () => navigate({ to: '/lists/edit/$id', params: { id: String(list.id) } }),
        },
        {
          label: t('COMMON.DELETE'),
          icon: IconTrash,
          tone: 'danger',
          loading: isPending,
          onClick: () => ask(list),
        },
      ]}
    />
  )
}
