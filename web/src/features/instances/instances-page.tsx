import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import type { InstanceRow } from '@sendroom/contract/instances'
import { IconPlus } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { isAdmin, useCurrentUser } from '../../api/session.ts'
import { formatDateTime } from '../../format.ts'
import { DataTable } from '../../lists/data-table.tsx'
import { ListPage } from '../../lists/list-page.tsx'
import { OnlySome } from '../../lists/only-some.tsx'
import type { Column } from '../../lists/table.tsx'
import { useList } from '../../lists/use-list.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { Name } from '../../ui/name.tsx'
import { ExpiryBadge } from './expiry-badge.tsx'
import { InstanceActions } from './instance-actions.tsx'
import { InstanceStatusBadge } from './instance-status-badge.tsx'
import type { InstancesSearch } from './instances-search.ts'

const PairingCodeModal = lazyComponent(
  async () => (await import('./pairing-code-modal.tsx')).PairingCodeModal,
)
const QrModal = lazyComponent(async () => (await import('./qr-modal.tsx')).QrModal)

/** How often a running sync or connection is polled. */
const BUSY_REFRESH_MS = 3000
/** Each poll costs a call to the provider, so only a few instances are polled, and not forever. */
const POLLED_AT_ONCE = 3
const MAX_POLLS = 40

const columns: Column<InstanceRow>[] = [
  { header: 'ACCOUNT.ID', cell: (instance) => instance.id, sortBy: 'id' },
  { header: 'ACCOUNT.NAME', cell: (instance) => <InstanceName instance={instance} />, sortBy: 'name' },
  { header: 'ACCOUNT.NUMBER', cell: (instance) => instance.whatsAppNumber, sortBy: 'whatsAppNumber' },
  { header: 'ACCOUNT.ACTIVE', cell: (instance) => <ActiveBadge instance={instance} />, sortBy: 'isActive' },
  {
    header: 'ACCOUNT.CREATED_AT',
    cell: (instance) => formatDateTime(instance.createdAt),
    sortBy: 'createdAt',
  },
  {
    header: 'ACCOUNT.EXPIRY',
    cell: (instance) => <ExpiryBadge at={instance.expiredTime} />,
    sortBy: 'expiredTime',
  },
  {
    header: 'ACCOUNT.STATUS',
    cell: (instance) => <InstanceStatusBadge instance={instance} />,
    sortBy: 'status',
  },
]

export function InstancesPage() {
  const { t } = useTranslation()
  const mayEdit = isAdmin(useCurrentUser())
  const [scanned, setScanned] = useState<InstanceRow | null>(null)
  const [paired, setPaired] = useState<InstanceRow | null>(null)
  const { only }: InstancesSearch = useSearch({ strict: false })
  const filters: Pick<InstancesSearch, 'only'> = only ? { only } : {}
  const list = useList({
    feature: 'instances',
    sortFields: ['createdAt', 'id', 'name', 'whatsAppNumber', 'isActive', 'expiredTime', 'status'],
    sortDirection: 'desc',
    // Unlike the other lists, the specification's call for this one always carries `search`.
    filters,
    load: (query, signal) => call('GET /instances', { query: { search: '', ...query, ...filters } }, signal),
    pollEvery: (rows) => rows.some(isBusy) && BUSY_REFRESH_MS,
  })
  useLinkedScan(setScanned)
  const emptyWords = mayEdit ? 'ACCOUNT.EMPTY' : 'ACCOUNT.EMPTY_NOT_ASSIGNED'
  return (
    <ListPage
      title="ACCOUNT.TITLE"
      list={list}
      buttons={
        mayEdit && (
          <Button component={Link} to="/instances/new" leftSection={<IconPlus size={16} aria-hidden />}>
            {t('ACCOUNT.ADD')}
          </Button>
        )
      }
    >
      {only && <OnlySome words={`ACCOUNT.ONLY_${only.toUpperCase()}`} all="/instances" />}
      <DataTable
        list={list}
        label="ACCOUNT.TITLE"
        columns={columns}
        empty={list.query.search === '' && !only ? emptyWords : 'COMMON.NO_DATA_FOUND'}
        actions={(instance) => (
          <InstanceActions
            instance={instance}
            mayEdit={mayEdit}
            onScan={() => setScanned(instance)}
            onPair={() => setPaired(instance)}
          />
        )}
      />
      {list.rows
        .filter(isConnecting)
        .slice(0, POLLED_AT_ONCE)
        .map(({ id }) => (
          <ConnectionPoller key={id} id={id} />
        ))}
      {scanned && <QrModal instance={scanned} onClose={() => setScanned(null)} />}
      {paired && <PairingCodeModal instance={paired} onClose={() => setPaired(null)} />}
    </ListPage>
  )
}

/**
 * Opens the QR code of the instance that the address names, also if its row is on another page. Afterwards the address
 * is that of the list alone.
 */
function useLinkedScan(onScan: (instance: InstanceRow) => void) {
  const { scan, ...rest }: InstancesSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const { data: instance } = useRead(
    'GET /instances/:id',
    { params: { id: scan ?? 0 } },
    { enabled: scan !== undefined, gcTime: 0 },
  )
  useEffect(() => {
    if (!instance || instance.id !== scan) return
    onScan(instance)
    navigate({ to: '/instances', search: rest, replace: true })
  })
}

const isConnecting = ({ isActive, status }: InstanceRow) => isActive && status === 'Connecting'
const isBusy = (instance: InstanceRow) => instance.isSyncing || isConnecting(instance)

/** Reads a connecting instance, which makes the server ask the provider for its status. The list shows the result. */
function ConnectionPoller({ id }: { id: number }) {
  useRead(
    'GET /instances/:id',
    { params: { id } },
    {
      refetchInterval: ({ state }) =>
        state.dataUpdateCount + state.errorUpdateCount < MAX_POLLS && BUSY_REFRESH_MS,
      gcTime: 0,
      meta: { isQuiet: true },
    },
  )
  return null
}

function InstanceName({ instance }: { instance: InstanceRow }) {
  const { t } = useTranslation()
  return (
    <Stack gap={0}>
      <Group gap={6}>
        <Text size="sm" fw={500}>
          <Name>{instance.name}</Name>
        </Text>
        {instance.isTest && (
          <Badge size="sm" variant="outline" color="grape" title={t('ACCOUNT.TEST_HINT')}>
            {t('ACCOUNT.TEST')}
          </Badge>
        )}
      </Group>
      {instance.isSyncing && (
        <Text size="xs" c="dimmed">
          {t('ACCOUNT.SYNCING')}
        </Text>
      )}
    </Stack>
  )
}

function ActiveBadge({ instance }: { instance: InstanceRow }) {
  const { t } = useTranslation()
  return (
    <Badge variant="light" color={instance.isActive ? 'green' : 'gray'}>
      {instance.isActive ? t('COMMON.YES') : t('COMMON.NO')}
    </Badge>
  )
}
