import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { type OptOut, OptOutEnd } from '@sendroom/contract/opt-outs'
import { useTranslation } from 'react-i18next'
import { useAction } from '../api/use-action.ts'
import { BusyButton } from '../ui/busy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
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
    <Dialog title={t('OPT_OUT.END_TITLE')} onClose={onClose}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <Text size="sm">{t('OPT_OUT.END_HINT', { name })}</Text>
          <Textarea
            label={t('OPT_OUT.END_REASON')}
            description={t('OPT_OUT.END_REASON_HINT')}
            required
            autosize
            minRows={2}
            maxLength={limits.optOutNote}
            data-autofocus
            {...form.getInputProps('reason')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('COMMON.CANCEL')}
            </Button>
            <BusyButton type="submit" isBusy={form.submitting}>
              {t('OPT_OUT.END')}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
