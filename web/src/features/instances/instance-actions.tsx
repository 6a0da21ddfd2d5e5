import type { InstanceRow } from '@sendroom/contract/instances'
import {
  IconEraser,
  IconLogout,
  IconNumber123,
  IconPencil,
  IconQrcode,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { RowActions } from '../../lists/row-actions.tsx'
import { confirm } from '../../ui/confirm.ts'
import type { Action } from '../../ui/row-action.tsx'

type Props = { instance: InstanceRow; mayEdit: boolean; onScan: () => void; onPair: () => void }

/** The actions on an instance. Only Admins see the last three. */
export function InstanceActions({ instance, mayEdit, onScan, onPair }: Props) {
  const { t } = useTranslation()
  const sync = useAction('POST /instances/:id/sync', { success: 'TOAST.SYNC_STARTED' }, ['groups'])
  const logout = useAction('GET /instances/:id/logout', { success: 'TOAST.INSTANCE_LOGGED_OUT' })
  const input = { params: { id: instance.id } }
  const inactive = instance.isActive ? undefined : t('ERROR.instance_inactive')
  const mayLink = mayDo('canLinkAccounts', useCurrentUser())
  const notAllowed = mayLink ? undefined : t('ACCOUNT.LINK_NOT_ALLOWED')

  const askAndLogout = () => {
    if (window.confirm(t('ACCOUNT.CONFIRM_LOGOUT'))) logout.mutate(input)
  }

  const adminActions = useAdminActions(instance)
  return (
    <RowActions
      actions={[
        {
          label: t('ACCOUNT.SCAN_QR'),
          icon: IconQrcode,
          isNext: mayLink && instance.isActive && instance.status === 'NeedsLogin',
          reason: notAllowed ?? inactive,
          onClick: onScan,
        },
        instance.status !== 'NeedsLogin' && {
          label: t('ACCOUNT.SYNC'),
          icon: IconRefresh,
          loading: instance.isSyncing || sync.isPending,
          reason: inactive,
          onClick: () => sync.mutate(input),
        },
        {
          label: t('ACCOUNT.GET_CODE'),
          icon: IconNumber123,
          reason: notAllowed ?? inactive,
          onClick: onPair,
        },
        {
          label: t('ACCOUNT.LOGOUT'),
          icon: IconLogout,
          loading: logout.isPending,
          reason: notAllowed,
          onClick: askAndLogout,
        },
        ...(mayEdit ? adminActions : []),
      ]}
    />
  )
}

function useAdminActions(instance: InstanceRow): Action[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const affected = ['groups', 'messages', 'jobs', 'users']
  const remove = useAction('DELETE /instances/:id', { success: 'TOAST.INSTANCE_DELETED' }, affected)
  const clear = useAction('DELETE /instances/data/:id', { success: 'TOAST.INSTANCE_CLEARED' }, affected)
  const input = { params: { id: instance.id } }
  const { name } = instance

  const askAndClear = async () => {
    const isSure = await confirm({
      title: t('ACCOUNT.CLEAR_TITLE'),
      message: t('ACCOUNT.CONFIRM_CLEAR', { name }),
      confirmText: t('ACCOUNT.CLEAR_BUTTON'),
      confirmColor: 'orange',
    })
    if (isSure) clear.mutate(input)
  }
  const askAndRemove = async () => {
    const isSure = await confirm({
      title: t('ACCOUNT.DELETE_TITLE'),
      message: t('ACCOUNT.CONFIRM_DELETE', { name }),
      confirmText: t('COMMON.DELETE'),
      confirmColor: 'red',
    })
    if (isSure) remove.mutate(input)
  }

  return [
    {
      label: t('COMMON.EDIT'),
      icon: IconPencil,
      onClick: () => navigate({ to: '/instances/edit/$id', params: { id: String(instance.id) } }),
    },
    {
      label: t('ACCOUNT.CLEAR_DATA'),
      icon: IconEraser,
      tone: 'warning',
      loading: clear.isPending,
      onClick: askAndClear,
    },
    {
      label: t('COMMON.DELETE'),
      icon: IconTrash,
      tone: 'danger',
      loading: remove.isPending,
      onClick: askAndRemove,
    },
  ]
}
