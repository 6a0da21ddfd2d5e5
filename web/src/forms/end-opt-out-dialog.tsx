import { type OptOut, OptOutEnd } from '@sendroom/contract/opt-outs'
import { useTranslation } from 'react-i18next'
import { useAction } from '../api/use-action.ts'
import { NoteDialog } from './note-dialog.tsx'
import { useContractForm } from './use-contract-form.ts'

type Props = { optOut: OptOut; name: string; onClose: () => void }

/** Ends an opt-out. The audit log keeps the reason, because messages go to the person again. */
export function EndOptOutDialog({ optOut: { id }, name, onClose }: Props) {
  const { t } = useTranslation()
  const end = useAction(
    'POST /opt-outs/:id/end',
    { success: 'OPT_OUT.ENDED', failure: 'OPT_OUT.END_FAILED' },
    ['contacts'],
  )
  const { form, onSubmit } = useContractForm(OptOutEnd, {
    initialValues: { reason: '' },
    send: (body) => end.mutateAsync({ params: { id }, body }),
    onSent: onClose,
    isGuarded: false,
  })
  return (
    <NoteDialog
      title={t('OPT_OUT.END_TITLE')}
      text={t('OPT_OUT.END_HINT', { name })}
      field={{
        ...form.getInputProps('reason'),
        label: t('OPT_OUT.END_REASON'),
        description: t('OPT_OUT.END_REASON_HINT'),
        required: true,
      }}
      answer={t('OPT_OUT.END')}
      isBusy={form.submitting}
      onSubmit={onSubmit}
      onClose={onClose}
    />
  )
}
