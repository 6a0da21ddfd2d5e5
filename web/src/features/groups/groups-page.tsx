import { Badge, Button, NativeSelect, Group as Row, Text } from '@mantine/core'
import type { Group } from '@sendroom/contract/groups'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { isAdmin, useCurrentUser } from '../../api/session.ts'
import { formatAgo, formatDateTime, formatNumber } from '../../format.ts'
import { counted } from '../../i18n/words.ts'
import { DataTable } from '../../lists/data-table.tsx'
import { ListPage } from '../../lists/list-page.tsx'
import type { Column } from '../../lists/table.tsx'
import { useList } from '../../lists/use-list.ts'
import { ChannelBadge } from '../../ui/channel-badge.tsx'
import { Name } from '../../ui/name.tsx'
import { ExportButton } from './export-button.tsx'
import { type GroupsSearch, readGroupsSearch } from './groups-search.ts'
import { SyncButton } from './sync-button.tsx'
import { SyncNotice } from './sync-notice.tsx'
import { type Syncs, useSyncs } from './use-syncs.ts'

const columns: Column<Group>[] = [
  { header: 'GROUP.NAME', cell: (group) => <GroupName group={group} />, sortBy: 'name' },
  {
    header: 'GROUP.PARTICIPANTS',
    cell: (group) => <Size group={group} />,
    sortBy: 'participantCount',
  },
  {
    header: 'GROUP.LAST_SYNC',
    cell: ({ lastSyncAt }) =>
      lastSyncAt && <span title={formatAgo(lastSyncAt)}>{formatDateTime(lastSyncAt)}</span>,
    sortBy: 'lastSyncAt',
  },
  { header: 'GROUP.INSTANCE', cell: (group) => <Name>{group.instance.name}</Name> },
]

export function GroupsPage() {
  const syncs = useSyncs()
  const { only }: GroupsSearch = useSearch({ strict: false })
  const filters: Pick<GroupsSearch, 'only'> = only ? { only } : {}
  const ofKind = only ? { kind: only } : {}
  const list = useList({
    feature: 'groups',
    sortFields: ['name', 'participantCount', 'lastSyncAt'],
    sortDirection: 'asc',
    filters,
    load: (query, signal) =>
      query.search === undefined
        ? call('GET /groups', { query: { ...query, ...ofKind } }, signal)
        : call('POST /groups/search', { body: { ...query, ...ofKind, instanceIds: [] } }, signal),
  })
  const prerequisite = useMissing(syncs)
  const missing = list.rows.length === 0 ? prerequisite : null
  return (
    <ListPage
      title="GROUP.TITLE"
      list={list}
      buttons={<Buttons syncs={syncs} missing={missing} />}
      bulk={<KindFilter search={list.query.search} only={only} />}
    >
      <SyncNotice syncs={syncs} />
      <DataTable
        list={list}
        label="GROUP.TITLE"
        columns={columns}
        empty={list.query.search === '' && !only ? emptyWords[missing ?? 'sync'] : 'COMMON.NO_DATA_FOUND'}
        actions={(group) => <ExportButton group={group} />}
      />
    </ListPage>
  )
}

/** The first missing prerequisite of a sync. */
type Missing = 'instance' | 'assignment' | 'link' | null

function useMissing({ instances }: Syncs): Missing {
  const mayAdd = isAdmin(useCurrentUser())
  if (!instances) return null
  if (instances.length === 0) return mayAdd ? 'instance' : 'assignment'
  return instances.some(({ status }) => status === 'Connected' || status === 'Degraded') ? null : 'link'
}

const emptyWords = {
  instance: 'GROUP.EMPTY_NO_ACCOUNT',
  assignment: 'GROUP.EMPTY_NOT_ASSIGNED',
  link: 'GROUP.EMPTY_NOT_LINKED',
  sync: 'GROUP.EMPTY',
}

function Buttons(props: { syncs: Syncs; missing: Missing }) {
  const { t } = useTranslation()
  return (
    <>
      <Button variant="default" component={Link} to="/group-sets">
        {t('GROUP_SET.TITLE')}
      </Button>
      <TopButton {...props} />
    </>
  )
}

function TopButton({ syncs, missing }: { syncs: Syncs; missing: Missing }) {
  const { t } = useTranslation()
  if (missing === 'instance')
    return (
      <Button component={Link} to="/instances/new">
        {t('ACCOUNT.ADD')}
      </Button>
    )
  if (missing === 'link')
    return (
      <Button component={Link} to="/instances">
        {t('GROUP.TO_ACCOUNTS')}
      </Button>
    )
  return <SyncButton syncs={syncs} />
}

/** Limits the list. A search stays, the page does not. */
function KindFilter({ search, only }: Pick<GroupsSearch, 'search' | 'only'>) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  return (
    <NativeSelect
      aria-label={t('GROUP.KIND')}
      value={only ?? ''}
      onChange={({ currentTarget: { value } }) =>
        navigate({ to: '/groups', search: readGroupsSearch({ search, only: value }), replace: true })
      }
      data={[
        { value: '', label: t('GROUP.ALL_KINDS') },
        { value: 'group', label: t('GROUP.ONLY_GROUPS') },
        { value: 'channel', label: t('GROUP.ONLY_CHANNELS') },
      ]}
    />
  )
}

function Size({ group: { kind, participantCount } }: { group: Group }) {
  const { t } = useTranslation()
  return kind === 'channel' ? t('GROUP.FOLLOWERS', counted(participantCount)) : formatNumber(participantCount)
}

function GroupName({ group }: { group: Group }) {
  const { t } = useTranslation()
  return (
    <Row gap={6}>
      <Text size="sm" fw={500} c={group.hasLeft ? 'dimmed' : undefined}>
        <Name>{group.name}</Name>
      </Text>
      {group.kind === 'channel' && <ChannelBadge />}
      {group.hasLeft ? (
        <Badge size="sm" variant="outline" color="gray" title={t(leftWords[group.kind].hint)}>
          {t(leftWords[group.kind].badge)}
        </Badge>
      ) : (
        group.isClosed && (
          <Badge size="sm" variant="outline" color="gray" title={t('GROUP.CLOSED_HINT')}>
            {t('GROUP.CLOSED')}
          </Badge>
        )
      )}
    </Row>
  )
}

const leftWords = {
  group: { badge: 'GROUP.LEFT', hint: 'GROUP.LEFT_HINT' },
  channel: { badge: 'GROUP.NO_POSTING', hint: 'GROUP.NO_POSTING_HINT' },
}
