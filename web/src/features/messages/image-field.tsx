import { Checkbox, FileInput, Image, Stack } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { IconPhoto } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'

const PREVIEW = 200

type Props = {
  /** The image the message has now. */
  currentUrl: string | null
  file: File | null
  isRemoved: boolean
  error: ReactNode
  onFile: (file: File | null) => void
  onRemove: (isRemoved: boolean) => void
}

/** Keeps, replaces or removes the image of a message. */
export function ImageField({ currentUrl, file, isRemoved, error, onFile, onRemove }: Props) {
  const { t } = useTranslation()
  const fileUrl = useFileUrl(file)
  return (
    <Stack gap="sm">
      <FileInput
        label={t('MESSAGE.IMAGE')}
        description={t('MESSAGE.IMAGE_HINT', { imageMegabytes: limits.imageMegabytes })}
        placeholder={t('MESSAGE.CHOOSE_IMAGE')}
        accept="image/*"
        leftSection={<IconPhoto size={16} aria-hidden />}
        clearable
        clearButtonProps={{ 'aria-label': t('MESSAGE.CLEAR_IMAGE') }}
        value={file}
        onChange={onFile}
        error={error}
      />
      {fileUrl && <Preview url={fileUrl} label={t('MESSAGE.NEW_IMAGE')} />}
      {currentUrl && !isRemoved && <Preview url={currentUrl} label={t('MESSAGE.CURRENT_IMAGE')} />}
      {currentUrl && (
        <Checkbox
          label={t('MESSAGE.REMOVE_IMAGE')}
          checked={isRemoved}
          onChange={(event) => onRemove(event.currentTarget.checked)}
        />
      )}
    </Stack>
  )
}

const Preview = ({ url, label }: { url: string; label: string }) => (
  <figure style={{ margin: 0 }}>
    <figcaption style={{ fontSize: 'var(--mantine-font-size-sm)' }}>{label}</figcaption>
    <Image src={url} alt={label} w="auto" maw={PREVIEW} mah={PREVIEW} fit="contain" radius="sm" />
  </figure>
)

/** An address at which the browser shows a file that was chosen; freed when it is no longer needed. */
function useFileUrl(file: File | null) {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!file) return
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => {
      URL.revokeObjectURL(made)
      setUrl(null)
    }
  }, [file])
  return url
}
