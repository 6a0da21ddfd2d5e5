import { Button, Text } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'

/** Copies a text. A browser does so only over https: otherwise the user is told to copy it. */
export function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation()
  const { copied, copy, error } = useClipboard({ timeout: 3000 })
  const Icon = copied ? IconCheck : IconCopy
  return (
    <>
      {error && (
        <Text size="sm" c="red" role="alert">
          {t('COMMON.COPY_FAILED')}
        </Text>
      )}
      <Button variant="default" leftSection={<Icon size={16} aria-hidden />} onClick={() => copy(text)}>
        {t(copied ? 'COMMON.COPIED' : 'COMMON.COPY')}
      </Button>
    </>
  )
}
