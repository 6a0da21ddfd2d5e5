import type { MessageRow } from '@sendroom/contract/messages'
import { IconEye, IconPencil, IconSend, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { RowActions } from '../../lists/row-actions.tsx'
import { confirm } from '../../ui/confirm.ts'

type Props = {
  message: MessageRow
  /** Disables the changes of the message and says why. */
  reason: string | undefined
}

export function MessageActions({ message, reason }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const maySend = mayDo('canCreateJobs', useCurrentUser())
  const { id, instanceId } = message
  const remove = useAction('DELETE /messages/:id', { success: 'MESSAGE.DELETED' })
  const askAndRemove = async () => {
    const isSure = await confirm({
      message: t('MESSAGE.CONFIRM_DELETE'),
      confirmText: t('COMMON.DELETE'),
      confirmColor: 'red',
    })
    if (isSure) remove.mutate({ params: { id } })
  }
  const open = () => navigate({ to: '/messages/edit/$id', params: { id: String(id) } })
  return (
    <RowActions
      actions={[
        {
          label: t('MESSAGE.SEND'),
          icon: IconSend,
          reason: maySend ? undefined : t('JOB.NOT_ALLOWED'),
          onClick: () =>
            navigate({
              to: '/jobs/new',
              search: { message: id, ...(instanceId && { instance: instanceId }) },
            }),
        },
        ...(reason !== undefined ? [{ label: t('MESSAGE.VIEW'), icon: IconEye, onClick: open }] : []),
        { label: t('COMMON.EDIT'), icon: IconPencil, reason, onClick: open },
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
