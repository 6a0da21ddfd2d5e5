import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import type { Session } from '@sendroom/contract/sessions'
import { IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../api/queries.ts'
import { useAction } from '../api/use-action.ts'
import { formatDateTime, formatNumber } from '../format.ts'
import { confirm } from '../ui/confirm.ts'
import { LoadFailed } from '../ui/load-failed.tsx'
import { Loading } from '../ui/loading.tsx'
import { Name } from '../ui/name.tsx'
import { RowActions } from './row-actions.tsx'
import { type Column, Table } from './table.tsx'

const columns: Column<Session>[] = [
  { header: 'SESSION.BROWSER', cell: (session) => <Browser session={session} /> },
  { header: 'SESSION.ADDRESS', cell: ({ address }) => address || '–', isOneLine: true },
  { header: 'SESSION.USED_AT', cell: (session) => <LastUse session={session} />, isOneLine: true },
  { header: 'SESSION.CREATED_AT', cell: ({ createdAt }) => formatDateTime(createdAt), isOneLine: true },
]

/** Where a user is signed in, and the buttons that end it. */
export function Sessions({ userId }: { userId: number }) {
  const { t } = useTranslation()
  const { data, isError, refetch } = useRead('GET /users/:id/sessions', { params: { id: userId } })
  const end = useAction('DELETE /users/:id/sessions', { success: 'TOAST.SESSIONS_ENDED' })
  if (!data) return isError ? <LoadFailed retry={refetch} /> : <Loading />
  const { sessions } = data
  const isOwn = sessions.some(({ isCurrent }) => isCurrent)
  const others = sessions.filter(({ isCurrent }) => !isCurrent)
  const endAll = async () => {
    const title = t(isOwn ? 'SESSION.END_OTHERS' : 'SESSION.END_ALL')
    const message = t('SESSION.CONFIRM_END')
    if (await confirm({ title, message, confirmText: title, confirmColor: 'red' }))
      end.mutate({ params: { id: userId } })
  }
  return (
    <Stack component="section" gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t('SESSION.TITLE')}
        </Title>
        {others.length > 0 && (
          <Button variant="default" size="xs" loading={end.isPending} onClick={endAll}>
            {t(isOwn ? 'SESSION.END_OTHERS' : 'SESSION.END_ALL')}
          </Button>
        )}
      </Group>
      {sessions.length === 0 ? (
        <Text c="dimmed">{t('SESSION.EMPTY')}</Text>
      ) : (
        <Table
          label={t('SESSION.TITLE')}
          columns={columns}
          rows={sessions}
          last={{
            className: undefined,
            header: t('COMMON.ACTIONS'),
            cell: (session) => !session.isCurrent && <EndButton userId={userId} session={session} />,
          }}
        />
      )}
      {sessions.length >= limits.listedSessions && (
        <Text size="sm" c="dimmed">
          {t('SESSION.CUT', { number: formatNumber(limits.listedSessions) })}
        </Text>
      )}
    </Stack>
  )
}

function Browser({ session: { browser, isCurrent } }: { session: Session }) {
  const { t } = useTranslation()
  return (
    <Group gap="xs">
      <Name>{browser || t('SESSION.UNKNOWN')}</Name>
      {isCurrent && (
        <Badge variant="light" color="green">
          {t('SESSION.CURRENT')}
        </Badge>
      )}
    </Group>
  )
}

/** A thief can say of each request that nobody has touched the page, so those are shown as well. */
function LastUse({ session: { usedAt, idleAt } }: { session: Session }) {
  const { t } = useTranslation()
  return (
    <>
      {formatDateTime(usedAt)}
      {idleAt && (
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'normal' }}>
          {t('SESSION.IDLE_UNTIL', { time: formatDateTime(idleAt) })}
        </Text>
      )}
    </>
  )
}

function EndButton({ userId, session }: { userId: number; session: Session }) {
  const { t } = useTranslation()
  const end = useAction('DELETE /users/:id/sessions/:sessionId', { success: 'TOAST.SESSION_ENDED' })
  return (
    <RowActions
      actions={[
        {
          label: t('SESSION.END'),
          icon: IconX,
          tone: 'danger',
          loading: end.isPending,
          onClick: () => end.mutate({ params: { id: userId, sessionId: session.id } }),
        },
      ]}
    />
  )
}
