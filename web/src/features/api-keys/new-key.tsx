import { Alert, Button, Group, Paper, Stack, Textarea } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { PageTitle } from '../../ui/page-title.tsx'

/** A new key, which nobody can see again. */
export function NewKey({ secret }: { secret: string }) {
  const { t } = useTranslation()
  const clipboard = useClipboard({ timeout: 3000 })
  const Icon = clipboard.copied ? IconCheck : IconCopy
  return (
    <Stack maw={640}>
      <PageTitle>{t('API_KEY.SECRET_TITLE')}</PageTitle>
      <Paper withBorder p="lg">
        <Stack>
          <Alert color="yellow">{t('API_KEY.SECRET_HINT')}</Alert>
          <Textarea
            label={t('API_KEY.KEY')}
            readOnly
            autosize
            value={secret}
            // A browser copies by itself only over https.
            error={clipboard.error && t('API_KEY.COPY_FAILED')}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
          <Group justify="flex-end">
            <Button
              variant="default"
              leftSection={<Icon size={16} aria-hidden />}
              onClick={() => clipboard.copy(secret)}
            >
              {t(clipboard.copied ? 'API_KEY.COPIED' : 'API_KEY.COPY')}
            </Button>
            <Button renderRoot={(props) => <Link {...props} to="/api-keys" />}>{t('API_KEY.KEPT')}</Button>
          </Group>
        </Stack>
      </Paper>
    </Stack>
  )
}
