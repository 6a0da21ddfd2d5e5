import type { Contact } from '@sendroom/contract/contacts'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../api/use-action.ts'
import { contactName } from '../../forms/contact-name.ts'
import { confirm } from '../../ui/confirm.ts'

/** Deletes a contact after a confirmation. */
export function useRemoveContact(onRemoved: () => unknown = () => {}) {
  const { t } = useTranslation()
  const remove = useAction('DELETE /contacts/:id', { success: 'CONTACT.DELETED_ONE' })
  const ask = async (contact: Contact) => {
    const isSure = await confirm({
      title: t('CONTACT.DELETE_TITLE'),
      message: t('CONTACT.CONFIRM_DELETE', { name: contactName(contact) }),
      confirmText: t('COMMON.DELETE'),
      confirmColor: 'red',
    })
    if (isSure) remove.mutate({ params: { id: contact.id } }, { onSuccess: () => void onRemoved() })
  }
  return { ask, isPending: remove.isPending }
}
