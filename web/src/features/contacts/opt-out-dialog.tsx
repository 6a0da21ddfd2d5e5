import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import type { Contact } from '@sendroom/contract/contacts'
import { limits } from '@sendroom/contract/limits'
import { NewOptOuts } from '@sendroom/contract/opt-outs'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../api/use-action.ts'
import { contactName } from '../../forms/contact-name.ts'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

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
    <Dialog title={t('OPT_OUT.OPT_OUT')} onClose={onClose}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <Text size="sm">{t('OPT_OUT.CONFIRM', { name: contactName(contact) })}</Text>
          <Textarea
            label={t('OPT_OUT.NOTE')}
            description={t('OPT_OUT.NOTE_HINT')}
            autosize
            minRows={2}
            maxLength={limits.optOutNote}
            data-autofocus
            {...form.getInputProps('note')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('COMMON.CANCEL')}
            </Button>
            <BusyButton type="submit" isBusy={form.submitting}>
              {t('OPT_OUT.OPT_OUT')}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
