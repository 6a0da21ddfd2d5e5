import { Badge, Code, Text } from '@mantine/core'
import type { Attempt, Receiver } from '@sendroom/contract/receivers'
import { IconSend } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../api/use-action.ts'
import { formatNumber, formatSecond } from '../../format.ts'
import { RowActions } from '../../lists/row-actions.tsx'
import { type Column, Table } from '../../lists/table.tsx'

const columns: Column<Attempt>[] = [
  { header: 'RECEIVER.TIME', cell: ({ at }) => formatSecond(at), isOneLine: true },
  { header: 'RECEIVER.EVENT', cell: (attempt) => <Event attempt={attempt} /> },
  { header: 'RECEIVER.RESULT', cell: (attempt) => <Result attempt={attempt} /> },
  {
    header: 'RECEIVER.DURATION',
    cell: ({ durationMs }) => `${formatNumber(durationMs)} ms`,
    isOneLine: true,
  },
]

type Props = { receiver: Receiver; attempts: Attempt[] }

/** The last attempts. A receiver that is off is sent nothing, so nothing can be sent again. */
export function Attempts({ receiver: { id, isActive }, attempts }: Props) {
  const { t } = useTranslation()
  return (
    <Table
      label={t('RECEIVER.ATTEMPTS')}
      columns={columns}
      rows={attempts}
      last={
        isActive
          ? {
              className: undefined,
              header: t('COMMON.ACTIONS'),
              cell: (attempt) => <SendAgain receiverId={id} attempt={attempt} />,
            }
          : undefined
      }
    />
  )
}

/** Shows the body that was sent, for whoever writes the receiving program. */
const Event = ({ attempt: { type, body } }: { attempt: Attempt }) => (
  <details>
    <summary>{type}</summary>
    <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', textAlign: 'left' }}>
      {body}
    </Code>
  </details>
)

function Result({ attempt: { hasArrived, status, error, isWaiting } }: { attempt: Attempt }) {
  const { t } = useTranslation()
  if (hasArrived)
    return (
      <Badge variant="light" color="green">
        {t('RECEIVER.ARRIVED')}
      </Badge>
    )
  const why = status === null ? t(`RECEIVER.ERROR_${error}`, { defaultValue: error ?? '' }) : `HTTP ${status}`
  return (
    <>
      <Text size="sm">{why}</Text>
      {isWaiting && (
        <Text size="xs" c="dimmed">
          {t('RECEIVER.TRIED_AGAIN')}
        </Text>
      )}
    </>
  )
}

function SendAgain({ receiverId, attempt }: { receiverId: number; attempt: Attempt }) {
  const { t } = useTranslation()
  const send = useAction('POST /receivers/:id/attempts/:attemptId/send', { success: 'TOAST.RECEIVER_QUEUED' })
  return (
    <RowActions
      actions={[
        {
          label: t('RECEIVER.SEND_AGAIN'),
          icon: IconSend,
          loading: send.isPending,
          onClick: () => send.mutate({ params: { id: receiverId, attemptId: attempt.id } }),
        },
      ]}
    />
  )
}
