import { Button, Center, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Where something could not be loaded: says so, and offers another try. */
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
