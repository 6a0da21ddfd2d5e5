import { Alert, Button, Group, Paper, Stack, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { PageTitle } from '../../ui/page-title.tsx'

/** The secret of a new receiver, which nobody can see again. */
export function NewSecret({ id, secret }: { id: number; secret: string }) {
  const { t } = useTranslation()
  return (
    <Stack maw={640}>
      <PageTitle>{t('RECEIVER.SECRET_TITLE')}</PageTitle>
      <Paper withBorder p="lg">
        <Stack>
          <Alert color="yellow">{t('RECEIVER.SECRET_HINT')}</Alert>
          <TextInput
            label={t('RECEIVER.SECRET')}
            readOnly
            value={secret}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
          <Group justify="flex-end">
            <Button
              renderRoot={(props) => (
                <Link {...props} to="/settings/webhooks/$id" params={{ id: String(id) }} />
              )}
            >
              {t('RECEIVER.SECRET_KEPT')}
            </Button>
          </Group>
        </Stack>
      </Paper>
    </Stack>
  )
}
