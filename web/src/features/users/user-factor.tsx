import { Badge, Button, Group, Title } from '@mantine/core'
import type { User } from '@sendroom/contract/users'
import { useTranslation } from 'react-i18next'
import { useCurrentUser } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { confirm } from '../../ui/confirm.ts'

/** Whether a user has a second factor, and for another Admin the button that removes it. */
export function UserFactor({ user: { id, username, hasFactor } }: { user: User }) {
  const { t } = useTranslation()
  const me = useCurrentUser()
  const reset = useAction('DELETE /users/:id/factor', { success: 'TOAST.FACTOR_RESET' })
  const askAndReset = async () => {
    const question = {
      title: t('FACTOR.RESET'),
      message: t('FACTOR.CONFIRM_RESET', { name: username }),
      confirmText: t('FACTOR.RESET'),
      confirmColor: 'red',
    }
    if (await confirm(question)) reset.mutate({ params: { id } })
  }
  const isOn = hasFactor && !reset.isSuccess
  return (
    <Group component="section" justify="space-between" mb="xl">
      <Group gap="xs">
        <Title order={2} size="h4">
          {t('FACTOR.TITLE')}
        </Title>
        <Badge variant="light" color={isOn ? 'green' : 'gray'}>
          {t(isOn ? 'FACTOR.ON' : 'FACTOR.OFF')}
        </Badge>
      </Group>
      {isOn && id !== me?.id && (
        <Button variant="default" size="xs" loading={reset.isPending} onClick={askAndReset}>
          {t('FACTOR.RESET')}
        </Button>
      )}
    </Group>
  )
}
