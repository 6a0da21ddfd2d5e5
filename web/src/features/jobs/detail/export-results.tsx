import { Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { download } from '../../../api/download.ts'
import { dayOf } from '../../../format.ts'
import { DownloadButton } from '../../../lists/download-button.tsx'
import type { JobSearch } from './job-search.ts'

type Props = { jobId: number; filter: Pick<JobSearch, 'outcome' | 'search'> }

/** Downloads the recipients that the filter and the search leave, all pages of them. */
export function ExportResults({ jobId, filter }: Props) {
  const { t } = useTranslation()
  const input = { params: { id: jobId }, query: filter }
  return (
    <Group gap="xs">
      {(['csv', 'xlsx'] as const).map((format) => (
        <DownloadButton
          key={format}
          size="compact-sm"
          text={t(`JOB.EXPORT_${format.toUpperCase()}`)}
          words={{ success: 'JOB.EXPORTED', failure: 'JOB.EXPORT_FAILED' }}
          save={() =>
            download(
              `GET /jobs/:id/recipients/export/${format}`,
              input,
              `Job_${jobId}_${dayOf(new Date())}.${format}`,
            )
          }
        />
      ))}
    </Group>
  )
}
