import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { failureText } from '../api/failure.ts'
import { formatSize } from '../format.ts'
import { Name } from '../ui/name.tsx'
import type { Upload, Uploading } from './use-upload.ts'

type Props = { upload: Upload; current: Uploading }

/** How much of a file is uploaded, or why that failed. */
export function UploadProgress({ upload, current: { file, share, error } }: Props) {
  const { t } = useTranslation()
  const percent = Math.floor(share * 100)
  if (error !== undefined)
    return (
      <Alert color="red" role="alert" title={t('MESSAGE.UPLOAD_FAILED')}>
        <Stack gap="sm">
          <div>
            <Text size="sm" fw={500}>
              <Name>{file.name}</Name>
            </Text>
            {failureText(error)}
          </div>
          <Group gap="xs">
            <Button size="compact-sm" onClick={() => upload.start(file)}>
              {t('COMMON.RETRY')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={upload.cancel}>
              {t('COMMON.CANCEL')}
            </Button>
          </Group>
        </Stack>
      </Alert>
    )
  return (
    <Stack gap={6}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm">
          <Name>{file.name}</Name>
        </Text>
        <Button size="compact-sm" variant="default" flex="none" onClick={upload.cancel}>
          {t('MESSAGE.CANCEL_UPLOAD')}
        </Button>
      </Group>
      <Progress value={percent} aria-label={t('MESSAGE.UPLOADING')} />
      <Text size="xs" c="dimmed">
        {/* The server still reads the end of the file after the browser has sent all of it. */}
        {share < 1
          ? t('MESSAGE.UPLOADED', { percent, size: formatSize(file.size) })
          : t('MESSAGE.UPLOAD_CHECKED')}
      </Text>
    </Stack>
  )
}
