import { Group } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { download } from '../../../api/download.ts'
import { reportFailure } from '../../../api/failure.ts'
import { SUCCESS_MS } from '../../../api/use-action.ts'
import { dayOf } from '../../../format.ts'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { addToast } from '../../../ui/toasts.ts'
import type { JobSearch } from './job-search.ts'

type Props = { jobId: number; filter: Pick<JobSearch, 'outcome' | 'search'> }

/** Downloads the recipients that the filter and the search leave, all pages of them. */
export const ExportResults = (props: Props) => (
  <Group gap="xs">
    <ExportButton {...props} format="csv" />
    <ExportButton {...props} format="xlsx" />
  </Group>
)

function ExportButton({ jobId, filter, format }: Props & { format: 'csv' | 'xlsx' }) {
  const { t } = useTranslation()
  const save = useMutation({
    mutationFn: () =>
      download(
        `GET /jobs/:id/recipients/export/${format}`,
        { params: { id: jobId }, query: filter },
        `Job_${jobId}_${dayOf(new Date())}.${format}`,
      ),
    onSuccess: () => addToast({ type: 'success', msg: t('JOB.EXPORTED'), timeout: SUCCESS_MS }),
    onError: (error) => reportFailure(error, 'JOB.EXPORT_FAILED'),
  })
  return (
    <BusyButton
      variant="default"
      size="compact-sm"
      leftSection={<IconDownload size={14} aria-hidden />}
      isBusy={save.isPending}
      onClick={() => save.mutate()}
    >
      {t(`JOB.EXPORT_${format.toUpperCase()}`)}
    </BusyButton>
  )
}
