import { Button, Group, Stack, Text } from '@mantine/core'
import type { Job } from '@sendroom/contract/jobs'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { formatNumber } from '../../../format.ts'
import { LoadFailed } from '../../../ui/load-failed.tsx'
import { WhatsAppMessage } from '../../../ui/whatsapp-message.tsx'

/** The job's own copy of its message. Later changes of the message do not affect it. */
export const JobMessage = ({ job }: { job: Job }) => (
  <WhatsAppMessage
    text={job.textContent}
    hasVariables={job.isPersonal}
    imageUrl={job.imageUrl}
    content={job.content}
  />
)

/** The texts of a job with variables, each as its recipient gets it. */
export function OwnTexts({ job }: { job: Job }) {
  const { t } = useTranslation()
  const [page, setPage] = useState(1)
  const { data, isError, isPlaceholderData, refetch } = useOwnText(job, page)
  const recipient = data?.data[0]
  const total = data?.pagination.totalCount ?? 0
  if (isError && !data) return <LoadFailed retry={refetch} />
  if (!recipient) return null
  const where = { name: recipient.recipientName, at: formatNumber(page), total: formatNumber(total) }
  return (
    <Stack gap="xs" aria-busy={isPlaceholderData}>
      <Text size="sm" role="status">
        {t('JOB.TEXT_FOR', where)}
      </Text>
      <WhatsAppMessage
        text={recipient.ownText ?? job.textContent}
        imageUrl={job.imageUrl}
        content={job.content}
      />
      <Group gap="xs">
        <Button size="compact-sm" variant="default" disabled={page <= 1} onClick={() => setPage(page - 1)}>
          {t('JOB.FORMER_TEXT')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={page >= total}
          onClick={() => setPage(page + 1)}
        >
          {t('JOB.NEXT_TEXT')}
        </Button>
      </Group>
    </Stack>
  )
}

const useOwnText = ({ id, version }: Job, page: number) =>
  useQuery({
    // The version is part of the key: a change of the job may change each text.
    queryKey: ['jobs', 'rows', id, 'own-text', version, page],
    queryFn: ({ signal }) =>
      call('GET /jobs/:id/recipients', { params: { id }, query: { page, pageSize: 1 } }, signal),
    placeholderData: keepPreviousData,
    meta: { isQuiet: true },
  })
