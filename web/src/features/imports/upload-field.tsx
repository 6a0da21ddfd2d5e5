import { FileButton, Paper, Stack, Text } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { IconFileSpreadsheet } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../api/use-action.ts'
import { formatNumber } from '../../format.ts'
import { useFileDrop } from '../../forms/use-file-drop.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { addToast } from '../../ui/toasts.ts'
import classes from './imports.module.css'

/** Uploads a file that is chosen, or dropped on the page, and opens its import. */
export function UploadField() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const upload = useAction('POST /imports', { failure: 'IMPORT.UPLOAD_FAILED' })
  const take = (file: File | null) => {
    if (!file || upload.isPending) return
    const problem = problemOf(file)
    if (problem) return addToast({ type: 'error', msg: t(problem, { ...limits }) })
    const body = new FormData()
    body.append('file', file)
    upload.mutate(
      { body },
      { onSuccess: ({ id }) => void navigate({ to: '/imports/$id', params: { id: String(id) } }) },
    )
  }
  const isOver = useFileDrop(take)
  return (
    <Paper withBorder p="xl" className={classes.drop} data-over={isOver || undefined}>
      <Stack align="center" gap="xs">
        <IconFileSpreadsheet size={32} stroke={1.5} aria-hidden />
        <Text ta="center">{t('IMPORT.DROP')}</Text>
        <Text size="sm" c="dimmed" ta="center">
          {t('IMPORT.DROP_HINT', {
            importMegabytes: limits.importMegabytes,
            importRows: formatNumber(limits.importRows),
          })}
        </Text>
        <FileButton accept=".csv,.txt,.tsv,.xlsx,text/csv" onChange={take}>
          {(props) => (
            <BusyButton {...props} isBusy={upload.isPending}>
              {upload.isPending ? t('IMPORT.UPLOADING') : t('IMPORT.CHOOSE_FILE')}
            </BusyButton>
          )}
        </FileButton>
      </Stack>
    </Paper>
  )
}

/** The translation key of the reason why the server would refuse the file, before it is sent. */
function problemOf({ size }: File): string | null {
  if (size === 0) return 'ERROR.file_empty'
  return size > limits.importMegabytes << 20 ? 'ERROR.file_too_large' : null
}
