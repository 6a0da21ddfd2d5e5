import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { ChangePassword } from '@sendroom/contract/users'
import { useTranslation } from 'react-i18next'
import { askForPassword } from '../../api/confirmation.ts'
import { Failure } from '../../api/failure.ts'
import { useCurrentUser } from '../../api/session.ts'
import { SUCCESS_MS, useAction } from '../../api/use-action.ts'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { usePasswordMin } from '../../forms/use-password-min.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { reloadIfIdle } from '../../ui/reload-if-idle.ts'

export function ChangePasswordModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const user = useCurrentUser()
  usePasswordMin()
  const change = useAction('PUT /users/:id', {
    success: 'TOAST.PASSWORD_CHANGED',
    failure: 'TOAST.USER_UPDATE_FAILED',
  })
  const { form, onSubmit } = useContractForm(ChangePassword, {
    initialValues: { password: '', confirm: '' },
    send: async ({ password }) => {
      if (user === null) return
      // The server would not ask again within ten minutes. Whoever finds the page open must not get that long.
      if (!(await askForPassword())) throw new Failure(403, { code: 'confirm_password' })
      await change.mutateAsync({ params: { id: user.id }, body: { password } })
      // The delay leaves time to read the toast before the page reloads.
      reloadIfIdle(SUCCESS_MS)
    },
    onSent: onClose,
    onInvalid: ({ confirm }) => {
      if (confirm === 'CHANGE_PASSWORD.NOT_MATCH') window.alert(t('CHANGE_PASSWORD.NOT_MATCH'))
    },
  })
  const showPassword = { 'aria-label': t('COMMON.SHOW_PASSWORD') }
  return (
    <Dialog onClose={onClose} title={t('CHANGE_PASSWORD.TITLE')}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <PasswordInput
            label={t('CHANGE_PASSWORD.PASSWORD')}
            autoComplete="new-password"
            required
            data-autofocus
            visibilityToggleButtonProps={showPassword}
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label={t('CHANGE_PASSWORD.CONFIRM')}
            autoComplete="new-password"
            required
            visibilityToggleButtonProps={showPassword}
            {...form.getInputProps('confirm')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('COMMON.CANCEL')}
            </Button>
            <BusyButton type="submit" isBusy={form.submitting}>
              {t('CHANGE_PASSWORD.SUBMIT')}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
