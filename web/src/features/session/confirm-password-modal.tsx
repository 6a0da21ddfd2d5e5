import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { Confirmation } from '@sendroom/contract/session'
import { useTranslation } from 'react-i18next'
import { readUserAgain } from '../../api/client.ts'
import { confirmPassword } from '../../api/confirm-password.ts'
import { fieldTexts, reportFailure } from '../../api/failure.ts'
import { useCurrentUser } from '../../api/session.ts'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** Asks for the password before a call that needs it. */
export function ConfirmPasswordModal({ answer }: { answer: (isConfirmed: boolean) => void }) {
  const { t } = useTranslation()
  const user = useCurrentUser()
  const { form, onSubmit } = useContractForm(Confirmation, {
    initialValues: user?.hasFactor ? { password: '', code: '' } : { password: '' },
    isGuarded: false,
    send: async (body) => {
      try {
        await confirmPassword(body)
      } catch (error) {
        const texts = fieldTexts(error)
        // Another browser has set up a factor. The dialog then has the field for the code.
        if (texts.code && !user?.hasFactor) await readUserAgain()
        if (Object.keys(texts).length === 0) reportFailure(error)
        throw error
      }
    },
    onSent: () => answer(true),
    // The field says what is missing.
    onInvalid: () => {},
  })
  return (
    <Dialog onClose={() => answer(false)} title={t('CONFIRM_PASSWORD.TITLE')}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <Text>{t('CONFIRM_PASSWORD.MESSAGE')}</Text>
          {/* Password managers need the name to find the password. */}
          <input hidden readOnly autoComplete="username" value={user?.username ?? ''} />
          <PasswordInput
            label={t('CONFIRM_PASSWORD.PASSWORD')}
            autoComplete="current-password"
            required
            data-autofocus
            visibilityToggleButtonProps={{ 'aria-label': t('COMMON.SHOW_PASSWORD') }}
            {...form.getInputProps('password')}
          />
          {user?.hasFactor && (
            <TextInput
              label={t('LOGIN.CODE')}
              description={t('LOGIN.CODE_HINT')}
              autoComplete="one-time-code"
              required
              {...form.getInputProps('code')}
              value={form.values.code ?? ''}
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => answer(false)}>
              {t('COMMON.CANCEL')}
            </Button>
            <BusyButton type="submit" isBusy={form.submitting}>
              {t('CONFIRM_PASSWORD.SUBMIT')}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
