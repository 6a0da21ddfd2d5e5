import { ActionIcon, Alert, Button, FileInput, Group, Stack, Text, TextInput } from '@mantine/core'
import type { FileKind } from '@sendroom/contract/files'
import { limits } from '@sendroom/contract/limits'
import { IconX } from '@tabler/icons-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { formatLength, formatSize } from '../format.ts'
import { kindIcons, kindWords } from '../ui/kind-icon.tsx'
import { Name } from '../ui/name.tsx'
import { type ChosenFile, canBe } from './content-values.ts'
import classes from './image-field.module.css'
import { UploadProgress } from './upload-progress.tsx'
import { useFileDrop } from './use-file-drop.ts'
import type { MessageFields } from './use-message-fields.ts'

const accepted: Record<FileKind, string | undefined> = {
  video: 'video/*',
  audio: 'audio/*',
  voice: 'audio/*,.ogg,.opus',
  document: undefined,
}

type Props = { fields: MessageFields; kind: FileKind }

/** Uploads the file of a message. A file is chosen, dropped on the page or pasted. */
export function FileField({ fields, kind }: Props) {
  const { t } = useTranslation()
  const { upload, isBusy } = fields
  const { file, fileName } = fields.values.content
  const forget = useRef<() => void>(null)
  const take = (taken: File | null) => {
    if (isBusy || !taken) return
    const problem = problemOf(taken)
    fields.setError('content.file', problem)
    if (!problem) upload.start(taken)
  }
  const isDraggedOver = useFileDrop(take) && !isBusy
  const Icon = kindIcons[kind]
  // The server refuses the content as a whole if its file is gone.
  const error = fields.input('content.file').error ?? fields.input('content').error
  const fits = !file || canBe(kind, file)
  return (
    <Stack gap="sm">
      <div className={classes.drop} data-over={isDraggedOver || undefined}>
        <FileInput
          label={t(kindWords(kind))}
          description={t(isDraggedOver ? 'MESSAGE.DROP_FILE' : `MESSAGE.FILE_HINT_${kind.toUpperCase()}`)}
          placeholder={t(file ? 'MESSAGE.CHOOSE_OTHER_FILE' : 'MESSAGE.CHOOSE_FILE')}
          accept={accepted[kind]}
          required
          leftSection={<Icon size={16} aria-hidden />}
          value={null}
          resetRef={forget}
          onChange={(chosen) => {
            take(chosen)
            // Otherwise the browser reports no change if the same file is chosen again.
            forget.current?.()
          }}
          error={error && (upload.current ? t('MESSAGE.UPLOAD_FIRST') : fits ? error : true)}
        />
      </div>
      {upload.current && <UploadProgress upload={upload} current={upload.current} />}
      {file && !upload.current && (
        <Chosen file={file} fileName={fileName} onRemove={() => fields.set('file', null)} />
      )}
      {file && !fits && <Misfit file={file} kind={kind} onChoose={(other) => fields.set('kind', other)} />}
      {file && kind === 'document' && (
        <TextInput
          label={t('MESSAGE.FILE_NAME')}
          description={t('MESSAGE.FILE_NAME_HINT')}
          required
          {...fields.input('content.fileName')}
        />
      )}
    </Stack>
  )
}

/** The translation key of the reason why the server would refuse the file, before it is sent. */
function problemOf({ size }: File): string | null {
  if (size === 0) return 'ERROR.file_empty'
  return size > limits.fileMegabytes << 20 ? 'ERROR.file_over_limit' : null
}

type ChosenProps = { file: ChosenFile; fileName: string; onRemove: () => void }

function Chosen({ file: { size, seconds }, fileName, onRemove }: ChosenProps) {
  const { t } = useTranslation()
  const facts = [formatSize(size), ...(seconds === null ? [] : [formatLength(seconds)])]
  return (
    <Group gap="xs" wrap="nowrap" justify="space-between">
      <div role="status">
        <Text size="sm">
          <Name>{fileName}</Name>
        </Text>
        <Text size="xs" c="dimmed">
          {facts.join(' · ')}
        </Text>
      </div>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('MESSAGE.REMOVE_FILE')}
        title={t('MESSAGE.REMOVE_FILE')}
        onClick={onRemove}
      >
        <IconX size={18} aria-hidden />
      </ActionIcon>
    </Group>
  )
}

type MisfitProps = { file: ChosenFile; kind: FileKind; onChoose: (kind: FileKind) => void }

/** Says why the file can't be sent as this kind, and offers what it can be sent as. */
function Misfit({ file: { whyNot, kinds }, kind, onChoose }: MisfitProps) {
  const { t } = useTranslation()
  return (
    <Alert color="yellow" role="alert">
      <Stack gap="sm">
        {/* A title would have the colour of the alert, which is too pale in yellow. */}
        <Text size="sm" fw={600}>
          {t(`MESSAGE.NOT_AS_${kind.toUpperCase()}`)}
        </Text>
        {t(whyNot ? `MESSAGE.WHY_${whyNot.toUpperCase()}` : `MESSAGE.FILE_HINT_${kind.toUpperCase()}`)}
        <Group gap="xs">
          {kinds?.map((other) => (
            <Button key={other} size="compact-sm" variant="default" onClick={() => onChoose(other)}>
              {t(`MESSAGE.SEND_AS_${other.toUpperCase()}`)}
            </Button>
          ))}
        </Group>
      </Stack>
    </Alert>
  )
}
