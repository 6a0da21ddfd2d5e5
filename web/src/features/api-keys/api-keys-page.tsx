import { Badge, Box, Code, Group, Stack, Text } from '@mantine/core'
import type { ApiKey } from '@sendroom/contract/api-keys'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { isAdmin, useCurrentUser } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { formatDateTime } from '../../format.ts'
import { enumerated } from '../../i18n/punctuation.ts'
import { DataTable } from '../../lists/data-table.tsx'
import { AddButton } from '../../lists/list-buttons.tsx'
import { ListPage } from '../../lists/list-page.tsx'
import { RowActions } from '../../lists/row-actions.tsx'
import type { Column } from '../../lists/table.tsx'
import { useList } from '../../lists/use-list.ts'
import { confirm } from '../../ui/confirm.ts'
import { Name } from '../../ui/name.tsx'
import { Examples } from './examples.tsx'
import { RIGHT_LABELS } from './right-labels.ts'

const columns: Column<ApiKey>[] = [
  { header: 'API_KEY.NAME', cell: (key) => <NameAndStart apiKey={key} />, sortBy: 'name' },
  { header: 'API_KEY.RIGHTS', cell: (key) => <Rights apiKey={key} /> },
  { header: 'API_KEY.ACCOUNTS', cell: (key) => <Accounts apiKey={key} /> },
  {
    header: 'API_KEY.EXPIRES_AT',
    cell: (key) => <Expiry apiKey={key} />,
    sortBy: 'expiresAt',
    isOneLine: true,
  },
  { header: 'API_KEY.LAST_USED', cell: (key) => <LastUse apiKey={key} />, sortBy: 'lastUsedAt' },
]
const columnsForAdmins = columns.toSpliced(1, 0, {
  header: 'API_KEY.OWNER',
  cell: (key) => <Name>{key.owner.name}</Name>,
  sortBy: 'owner',
})

/** The API keys of the user, or of all users for Admins, and how programs use them. */
export function ApiKeysPage() {
  const { t } = useTranslation()
  const user = useCurrentUser()
  const list = useList({
    feature: 'api-keys',
    sortFields: ['id', 'name', 'owner', 'expiresAt', 'lastUsedAt'],
    sortDirection: 'desc',
    load: (query, signal) => call('GET /api-keys', { query }, signal),
  })
  return (
    <Stack gap="lg">
      <div>
        <ListPage
          title="API_KEY.TITLE"
          list={list}
          buttons={<AddButton to="/api-keys/new" label="API_KEY.ADD" reason={undefined} />}
        >
          <Text size="sm" c="dimmed" mb="md">
            {t('API_KEY.HINT')}
          </Text>
          <DataTable
            list={list}
            label="API_KEY.TITLE"
            columns={isAdmin(user) ? columnsForAdmins : columns}
            empty={list.query.search === '' ? 'API_KEY.NONE' : 'COMMON.NO_DATA_FOUND'}
            actions={(key) => <KeyActions apiKey={key} isOwn={key.owner.id === user?.id} />}
          />
        </ListPage>
      </div>
      <Examples />
    </Stack>
  )
}

type Props = { apiKey: ApiKey }

function KeyActions({ apiKey: { id, name }, isOwn }: Props & { isOwn: boolean }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const revoke = useAction('DELETE /api-keys/:id', { success: 'TOAST.API_KEY_REVOKED' })
  const askAndRevoke = async () => {
    const isSure = await confirm({
      title: t('API_KEY.REVOKE_TITLE'),
      message: t('API_KEY.CONFIRM_REVOKE', { name }),
      confirmText: t('API_KEY.REVOKE'),
      confirmColor: 'red',
    })
    if (isSure) revoke.mutate({ params: { id } })
  }
  return (
    <RowActions
      actions={[
        isOwn && {
          label: t('COMMON.EDIT'),
          icon: IconPencil,
          onClick: () => navigate({ to: '/api-keys/edit/$id', params: { id: String(id) } }),
        },
        {
          label: t('API_KEY.REVOKE'),
          icon: IconTrash,
          tone: 'danger',
          loading: revoke.isPending,
          onClick: askAndRevoke,
        },
      ]}
    />
  )
}

const NameAndStart = ({ apiKey: { name, start } }: Props) => (
  <>
    <Name>{name}</Name>
    <div>
      <Code>{start}…</Code>
    </div>
  </>
)

function Rights({ apiKey: { rights } }: Props) {
  const { t } = useTranslation()
  if (rights.length === 0) return t('API_KEY.ONLY_READS')
  return rights.map((right) => (
    <Box key={right} miw="9rem">
      {t(RIGHT_LABELS[right])}
    </Box>
  ))
}

function Accounts({ apiKey: { instances } }: Props) {
  const { t } = useTranslation()
  if (instances === null) return t('API_KEY.ALL_ACCOUNTS')
  return <Name>{enumerated(instances.map(({ name }) => name)) || '–'}</Name>
}

/** Enough to give a program another key: two weeks. */
const SOON_MS = 14 * 24 * 3_600_000

function Expiry({ apiKey: { expiresAt, hasExpired } }: Props) {
  const { t } = useTranslation()
  return (
    <Group gap={4}>
      {formatDateTime(expiresAt)}
      {hasExpired ? (
        <Badge variant="light" color="red">
          {t('API_KEY.EXPIRED')}
        </Badge>
      ) : (
        Date.parse(expiresAt) - Date.now() < SOON_MS && (
          <Badge variant="light" color="yellow">
            {t('API_KEY.EXPIRES_SOON')}
          </Badge>
        )
      )}
    </Group>
  )
}

function LastUse({ apiKey: { lastUsedAt, lastUsedAddress, addresses } }: Props) {
  const { t } = useTranslation()
  return (
    <Box miw="9rem" style={{ overflowWrap: 'anywhere' }}>
      {lastUsedAt === null
        ? t('API_KEY.NEVER_USED')
        : t('API_KEY.USED_FROM', { time: formatDateTime(lastUsedAt), address: lastUsedAddress })}
      {addresses.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('API_KEY.ONLY_FROM', { addresses: enumerated(addresses) })}
        </Text>
      )}
    </Box>
  )
}
