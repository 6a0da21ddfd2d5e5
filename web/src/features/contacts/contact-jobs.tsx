import { Anchor, Text } from '@mantine/core'
import type { ContactJob } from '@sendroom/contract/contacts'
import { limits } from '@sendroom/contract/limits'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { usePolling } from '../../api/event-stream.ts'
import { formatSecond } from '../../format.ts'
import { reasonText } from '../../i18n/words.ts'
import { PageEnd } from '../../lists/page-end.tsx'
import { type Column, Table } from '../../lists/table.tsx'
import { useClampPage } from '../../lists/use-list.ts'
import { Name } from '../../ui/name.tsx'
import { OutcomeBadge } from '../../ui/outcome-badge.tsx'
import { Section } from '../../ui/section.tsx'

const POLL_MS = 5000

const columns: Column<ContactJob>[] = [
  { header: 'JOB.MESSAGE', cell: (job) => <JobLink job={job} /> },
  { header: 'JOB.INSTANCE', cell: ({ instance }) => <Name>{instance.name}</Name> },
  { header: 'JOB.STATUS', cell: (job) => <Outcome job={job} /> },
  { header: 'JOB.SENT_AT', cell: ({ sentAt }) => formatSecond(sentAt), isOneLine: true },
  { header: 'CONTACT.DELIVERED_AT', cell: ({ deliveredAt }) => formatSecond(deliveredAt), isOneLine: true },
  { header: 'CONTACT.READ_AT', cell: ({ readAt }) => formatSecond(readAt), isOneLine: true },
]

/** The messages that jobs have sent to a contact, or will send. */
export function ContactJobs({ id }: { id: number }) {
  const { t } = useTranslation()
  const [paging, setPaging] = useState<{ page: number; pageSize: number }>({
    page: 1,
    pageSize: limits.pageSize,
  })
  const polling = usePolling()
  const result = useQuery({
    // Among those of jobs, which receipts and changes of jobs make stale.
    queryKey: ['jobs', 'list', 'of contact', id, paging],
    queryFn: ({ signal }) => call('GET /contacts/:id/jobs', { params: { id }, query: paging }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      polling((state.data?.data ?? []).some(({ status }) => status === 'Waiting') && POLL_MS),
    meta: { isQuiet: true },
  })
  const { data } = result
  useClampPage(result, paging.page, (page) => setPaging({ ...paging, page }))
  return (
    <Section title={t('CONTACT.JOBS')}>
      {data && data.data.length > 0 && (
        <Table
          label={t('CONTACT.JOBS')}
          columns={columns}
          rows={data.data}
          isBusy={result.isPlaceholderData}
        />
      )}
      <PageEnd result={result} empty="CONTACT.NO_JOBS" onPage={setPaging} />
    </Section>
  )
}

const JobLink = ({ job: { jobId, messageTitle } }: { job: ContactJob }) => (
  <Anchor
    size="sm"
    lineClamp={2}
    renderRoot={(props) => <Link {...props} to="/jobs/$id" params={{ id: String(jobId) }} />}
  >
    <Name>{messageTitle || `#${jobId}`}</Name>
  </Anchor>
)

function Outcome({ job: { status, reason } }: { job: ContactJob }) {
  return (
    <>
      <OutcomeBadge status={status} />
      {reason && (
        <Text size="xs" c="dimmed">
          {reasonText(reason)}
        </Text>
      )}
    </>
  )
}
