import { Center, Loader, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

type Props = { height?: number; message?: string; isLoading?: boolean }

export function Loading({ height = 200, message, isLoading = true }: Props) {
  const { t } = useTranslation()
  if (!isLoading) return null
  return (
    <Center h={height} role="status">
      <Stack align="center" gap="xs">
        <Loader size="sm" aria-hidden />
        <Text size="sm" c="dimmed">
          {message ?? t('COMMON.LOADING')}
        </Text>
      </Stack>
    </Center>
  )
}
