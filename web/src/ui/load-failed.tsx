import { Button, Center, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Replaces content that could not be loaded, with a button to try again. */
export function LoadFailed({ retry }: { retry: () => unknown }) {
  const { t } = useTranslation()
  return (
    <Center py="xl">
      <Stack align="center" gap="sm">
        <Text c="dimmed">{t('COMMON.LOAD_FAILED')}</Text>
        <Button variant="default" onClick={() => retry()}>
          {t('COMMON.RETRY')}
        </Button>
      </Stack>
    </Center>
  )
}
