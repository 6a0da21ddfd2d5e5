import { Badge, Group as Row, Text } from '@mantine/core'
import type { Group } from '@sendroom/contract/groups'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { formatDateTime, formatNumber } from '../../format.ts'
import { type Column, DataTable } from '../../lists/data-table.tsx'
import { ListPage } from '../../lists/list-page.tsx'
import { useList } from '../../lists/use-list.ts'
import { ExportButton } from './export-button.tsx'
import { SyncButton } from './sync-button.tsx'
import { SyncNotice } from './sync-notice.tsx'
import { useSync } from './use-sync.ts'

const columns: Column<Group>[] = [
  { header: 'GROUP.NAME', cell: (group) => <GroupName group={group} />, sortBy: 'name' },
  {
    header: 'GROUP.PARTICIPANTS',
    cell: (group) => formatNumber(group.participantCount),
    sortBy: 'participantCount',
  },
  { header: 'GROUP.LAST_SYNC', cell: (group) => formatDateTime(group.lastSyncAt), sortBy: 'lastSyncAt' },
  { header: 'GROUP.INSTANCE', cell: (group) => group.instance.name },
]

export function GroupsPage() {
  const sync = useSync()
  const list = useList({
    feature: 'groups',
    sortFields: ['name', 'participantCount', 'lastSyncAt'],
    sortDirection: 'asc',
    load: (query, signal) =>
      query.search === ''
        ? call('GET /groups', { query }, signal)
        : call('POST /groups/search', { body: query }, signal),
  })
  return (
    <ListPage title="GROUP.TITLE" list={list} buttons={<SyncButton sync={sync} />}>
      <SyncNotice sync={sync} />
      <DataTable
        list={list}
        label="GROUP.TITLE"
        columns={columns}
        empty={list.query.search === '' ? 'GROUP.EMPTY' : 'COMMON.NO_DATA_FOUND'}
        actions={(group) => <ExportButton group={group} />}
      />
    </ListPage>
  )
}

function GroupName({ group }: { group: Group }) {
  const { t } = useTranslation()
  return (
    <Row gap={6}>
      <Text size="sm" fw={500} c={group.hasLeft ? 'dimmed' : undefined}>
        {group.name}
      </Text>
      {group.hasLeft && (
        <Badge size="sm" variant="outline" color="gray" title={t('GROUP.LEFT_HINT')}>
          {t('GROUP.LEFT')}
        </Badge>
      )}
    </Row>
  )
}
