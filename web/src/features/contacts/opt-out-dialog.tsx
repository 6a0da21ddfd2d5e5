import type { Contact } from '@sendroom/contract/contacts'
import { NewOptOuts } from '@sendroom/contract/opt-outs'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../api/use-action.ts'
import { contactName } from '../../forms/contact-name.ts'
import { NoteDialog } from '../../forms/note-dialog.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'

type Props = { contact: Contact; onClose: () => void }

/** Opts a contact out, with all of its numbers. */
export function OptOutDialog({ contact, onClose }: Props) {
  const { t } = useTranslation()
  const create = useAction('POST /opt-outs', { success: 'OPT_OUT.DECIDED', failure: 'OPT_OUT.SAVE_FAILED' }, [
    'contacts',
  ])
  const { form, onSubmit } = useContractForm(NewOptOuts, {
    // An opt-out of one number holds for the others, too.
    initialValues: { phoneNumbers: contact.phoneNumbers[0] ?? '', note: '' },
    send: (body) => create.mutateAsync({ body }),
    onSent: onClose,
    isGuarded: false,
  })
  return (
    <NoteDialog
      title={t('OPT_OUT.OPT_OUT')}
      text={t('OPT_OUT.CONFIRM', { name: contactName(contact) })}
      field={{
        ...form.getInputProps('note'),
        label: t('OPT_OUT.NOTE'),
        description: t('OPT_OUT.NOTE_HINT'),
      }}
      answer={t('OPT_OUT.OPT_OUT')}
      isBusy={form.submitting}
      onSubmit={onSubmit}
      onClose={onClose}
    />
  )
}
