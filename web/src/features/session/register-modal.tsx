import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { Registration } from '@sendroom/contract/session'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { reportFailure } from '../../api/failure.ts'
import { useContractForm } from '../../forms/use-contract-form.ts'
import '../../ui/component-styles.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { delay } from '../../ui/delay.ts'
import { Dialog } from '../../ui/dialog.tsx'

/** The shortest time in the sending state. A fast answer would otherwise make the label flash. */
const SHORTEST_MS = 1500

/** Registers a user, who stays locked until an Admin activates them. */
export function RegisterModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const { form, onSubmit } = useContractForm(Registration, {
    initialValues: { username: '', email: '', password: '', repassword: '' },
    send: async (body) => {
      try {
        await Promise.all([call('POST /auth/register', { body }), delay(SHORTEST_MS)])
      } catch (error) {
        reportFailure(error)
        throw error
      }
      // The alert blocks the page. The timeout lets the dialog close first.
      setTimeout(() => window.alert(t('REGISTER.REGISTER_SUCCESS')))
    },
    onSent: onClose,
  })
  const showPassword = { 'aria-label': t('COMMON.SHOW_PASSWORD') }
  return (
    <Dialog onClose={onClose} title={t('REGISTER.TITLE')}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <TextInput
            label={t('REGISTER.USERNAME')}
            autoComplete="username"
            required
            data-autofocus
            {...form.getInputProps('username')}
          />
          <TextInput
            type="email"
            label={t('REGISTER.EMAIL')}
            autoComplete="email"
            required
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label={t('REGISTER.PASSWORD')}
            autoComplete="new-password"
            required
            visibilityToggleButtonProps={showPassword}
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label={t('REGISTER.REPASSWORD')}
            autoComplete="new-password"
            required
            visibilityToggleButtonProps={showPassword}
            {...form.getInputProps('repassword')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('COMMON.CLOSE')}
            </Button>
            <BusyButton
              type="submit"
              isBusy={form.submitting}
              disabled={!Registration.safeParse(form.values).success}
            >
              {form.submitting ? t('REGISTER.PROCESSING') : t('REGISTER.SUBMIT')}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
