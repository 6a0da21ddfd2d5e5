import type { MessageRow } from '@sendroom/contract/messages'
import { IconEye, IconPencil, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../api/use-action.ts'
import { RowActions } from '../../lists/row-actions.tsx'
import { paths } from '../../paths.ts'
import { confirm } from '../../ui/confirm.ts'

type Props = {
  message: MessageRow
  /** Disables the actions and says why. */
  reason: string | undefined
}

export function MessageActions({ message, reason }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const remove = useAction('DELETE /messages/:id', { success: 'MESSAGE.DELETED' })
  const askAndRemove = async () => {
    const isSure = await confirm({
      message: t('MESSAGE.CONFIRM_DELETE'),
      confirmText: t('COMMON.DELETE'),
      confirmColor: 'red',
    })
    if (isSure) remove.mutate({ params: { id: message.id } })
  }
  const open = () => navigate({ to: paths.editMessage, params: { id: String(message.id) } })
  return (
    <RowActions
      actions={[
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
