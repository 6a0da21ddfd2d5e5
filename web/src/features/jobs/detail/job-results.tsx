import { Text } from '@mantine/core'
import { isLive } from '@sendroom/contract/job-life'
import type { RecipientOutcome } from '@sendroom/contract/job-rows'
import type { Job } from '@sendroom/contract/jobs'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { usePolling } from '../../../api/live.ts'
import { formatNumber } from '../../../format.ts'
import { Pagination } from '../../../lists/pagination.tsx'
import { Table } from '../../../lists/table.tsx'
import { useClampPage } from '../../../lists/use-list.ts'
import { LoadFailed } from '../../../ui/load-failed.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { Section } from '../../../ui/section.tsx'
import { FilterButtons } from './filter-buttons.tsx'
import classes from './job-detail.module.css'
import { resultColumns } from './job-rows.tsx'

const LIVE_REFRESH_MS = 3000

type Filter = RecipientOutcome | 'All'
const filters = ['All', 'Failed', 'Sent', 'Waiting', 'Skipped'] as const satisfies Filter[]

/** The result for each recipient, the failed ones first. A filter shows one outcome only. */
export function JobResults({ job }: { job: Job }) {
  const { t } = useTranslation()
  const [filter, setFilter] = useState<Filter>('All')
  const [paging, setPaging] = useState({ page: 1, pageSize: 25 })
  const result = useRecipients(job, filter, paging)
  useClampPage(result, paging.page, (page) => setPaging({ ...paging, page }))
  const { data } = result
  const columns = resultColumns(job.id)
  const choose = (chosen: Filter) => {
    setFilter(chosen)
    setPaging({ ...paging, page: 1 })
  }
  return (
    <Section title={t('JOB.RESULTS')}>
      <Filters job={job} chosen={filter} onChoose={choose} />
      {data && data.data.length > 0 && (
        <div className={classes.results}>
          <Table
            label={t('JOB.RESULTS')}
            columns={columns}
            rows={data.data}
            isBusy={result.isPlaceholderData}
          />
        </div>
      )}
      {data?.data.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('JOB.NO_RESULTS')}
        </Text>
      )}
      {result.isPending && <Loading />}
      {result.isError && !data && <LoadFailed retry={() => result.refetch()} />}
      {data && (
        <Pagination
          paging={data.pagination}
          onPage={(page) => setPaging({ ...paging, page })}
          onPageSize={(pageSize) => setPaging({ page: 1, pageSize })}
        />
      )}
    </Section>
  )
}

function useRecipients(job: Job, filter: Filter, paging: { page: number; pageSize: number }) {
  const polling = usePolling()
  const query = filter === 'All' ? paging : { ...paging, outcome: filter }
  return useQuery({
    // The status is part of the key, so that the end of the job causes one more read.
    queryKey: ['jobs', 'rows', job.id, 'recipients', job.status, query],
    queryFn: ({ signal }) => call('GET /jobs/:id/recipients', { params: { id: job.id }, query }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: polling(isLive(job) && LIVE_REFRESH_MS),
    meta: { isQuiet: true },
  })
}

type FiltersProps = { job: Job; chosen: Filter; onChoose: (filter: Filter) => void }

function Filters({ job, chosen, onChoose }: FiltersProps) {
  const { t } = useTranslation()
  const { total, failed, sent, waiting, skipped } = job.recipients
  const counts = { All: total, Failed: failed, Sent: sent, Waiting: waiting, Skipped: skipped }
  const shown = filters.filter((name) => name === 'All' || name === chosen || counts[name] > 0)
  return (
    <FilterButtons
      label={t('JOB.FILTER')}
      filters={shown.map((name) => ({
        name,
        text: `${t(`JOB.FILTER_${name.toUpperCase()}`)} (${formatNumber(counts[name])})`,
      }))}
      chosen={chosen}
      onChoose={onChoose}
    />
  )
}
