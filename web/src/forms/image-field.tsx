import { Checkbox, FileInput, Stack } from '@mantine/core'
import { imageTypes, limits } from '@sendroom/contract/limits'
import { IconPhoto } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Picture } from '../ui/picture.tsx'
import classes from './image-field.module.css'
import { useFileDrop } from './use-file-drop.ts'

const PREVIEW = 200

type Props = {
  /** The saved image of the message. */
  currentUrl: string | null
  file: File | null
  /** A URL at which the browser shows the file. */
  fileUrl: string | null
  isRemoved: boolean
  /** While the form is sent, the field ignores new files. */
  isBusy: boolean
  error: ReactNode
  onFile: (file: File | null) => void
  /** Called with the translation key of the reason why a file can't be sent. */
  onRefuse: (why: string) => void
  onRemove: (isRemoved: boolean) => void
}

/** Keeps, replaces or removes the image of a message. A new image is chosen, dropped on the page or pasted. */
export function ImageField(props: Props) {
  const { currentUrl, file, fileUrl, isRemoved, isBusy, error, onFile, onRefuse, onRemove } = props
  const { t } = useTranslation()
  const take = (taken: File | null) => {
    if (isBusy) return
    const problem = taken && problemOf(taken)
    if (problem) onRefuse(problem)
    else onFile(taken)
  }
  const isDraggedOver = useFileDrop(take) && !isBusy
  return (
    <Stack gap="sm">
      <div className={classes.drop} data-over={isDraggedOver || undefined}>
        <FileInput
          label={t('MESSAGE.IMAGE')}
          description={isDraggedOver ? t('MESSAGE.DROP_IMAGE') : t('MESSAGE.IMAGE_HINT')}
          placeholder={t('MESSAGE.CHOOSE_IMAGE')}
          accept="image/*"
          leftSection={<IconPhoto size={16} aria-hidden />}
          clearable
          clearButtonProps={{ 'aria-label': t('MESSAGE.CLEAR_IMAGE') }}
          value={file}
          onChange={take}
          error={error}
        />
      </div>
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

/** The translation key of the reason why the server would refuse the file; null if only its bytes can decide. */
function problemOf({ type, size }: File): string | null {
  // Some systems report no type. The file may still be an image.
  if (type !== '' && !(imageTypes as readonly string[]).includes(type)) return 'ERROR.not_an_image'
  if (size === 0) return 'ERROR.not_an_image'
  return size > limits.imageMegabytes * 1024 * 1024 ? 'ERROR.image_too_large' : null
}

const Preview = ({ url, label }: { url: string; label: string }) => (
  <figure style={{ margin: 0 }}>
    <figcaption style={{ fontSize: 'var(--mantine-font-size-sm)' }}>{label}</figcaption>
    <Picture src={url} alt={label} w="auto" maw={PREVIEW} mah={PREVIEW} fit="contain" />
  </figure>
)
