import type { ContactList } from '@sendroom/contract/lists'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../api/use-action.ts'
import { confirm } from '../../ui/confirm.ts'

/** Deletes a list after a confirmation. */
export function useRemoveList(onRemoved: () => unknown = () => {}) {
  const { t } = useTranslation()
  const remove = useAction('DELETE /lists/:id', { success: 'LIST.DELETED' })
  const ask = async ({ id, name }: Pick<ContactList, 'id' | 'name'>) => {
    const isSure = await confirm({
      title: t('LIST.DELETE_TITLE'),
      message: t('LIST.CONFIRM_DELETE', { name }),
      confirmText: t('COMMON.DELETE'),
      confirmColor: 'red',
    })
    if (isSure) remove.mutate({ params: { id } }, { onSuccess: () => void onRemoved() })
  }
  return { ask, isPending: remove.isPending }
}
