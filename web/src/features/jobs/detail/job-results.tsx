import { Button, Group, Stack, Text } from '@mantine/core'
import { isUnfinished } from '@sendroom/contract/job-life'
import type { Job } from '@sendroom/contract/jobs'
import type { RecipientOutcome } from '@sendroom/contract/recipient-outcomes'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { usePolling } from '../../../api/event-stream.ts'
import { formatNumber } from '../../../format.ts'
import { bracketed } from '../../../i18n/punctuation.ts'
import { Pagination } from '../../../lists/pagination.tsx'
import { SearchBox } from '../../../lists/search-box.tsx'
import { Table } from '../../../lists/table.tsx'
import { useClampPage } from '../../../lists/use-list.ts'
import { LoadFailed } from '../../../ui/load-failed.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { Section } from '../../../ui/section.tsx'
import { ExportResults } from './export-results.tsx'
import { FilterButtons } from './filter-buttons.tsx'
import classes from './job-detail.module.css'
import { resultColumns } from './job-rows.tsx'
import { type JobSearch, RECIPIENTS_PER_PAGE, readJobSearch } from './job-search.ts'

const POLL_MS = 3000

type Filter = RecipientOutcome | 'All'
const filters = ['All', 'Failed', 'Sent', 'Waiting', 'Skipped'] as const satisfies Filter[]

/** The result for each recipient, the failed ones first. Filter, search and page are in the address. */
export function JobResults({ job }: { job: Job }) {
  const { t } = useTranslation()
  const { page = 1, pageSize = RECIPIENTS_PER_PAGE, ...filter } = readJobSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const go = (change: JobSearch, replace = false) => {
    const search = readJobSearch({ ...filter, page, pageSize, ...change })
    // The router wants the search type of one known page. Another filter is no other page: it keeps its place.
    navigate({ to: '.', search: search as never, replace, resetScroll: false })
  }
  const result = useRecipients(job, { ...filter, page, pageSize })
  useClampPage(result, page, (last) => go({ page: last }, true))
  const { data } = result
  return (
    <Section title={t('JOB.RESULTS')}>
      <Group justify="space-between" align="start" gap="sm" mb="sm">
        <SearchBox value={filter.search ?? ''} onSearch={(search) => go({ search, page: 1 })} />
        <ExportResults jobId={job.id} filter={filter} />
      </Group>
      <Filters
        job={job}
        chosen={filter.outcome ?? 'All'}
        onChoose={(chosen) => go({ outcome: chosen === 'All' ? undefined : chosen, page: 1 })}
      />
      {data && data.data.length > 0 && (
        <div className={classes.results}>
          <Table
            label={t('JOB.RESULTS')}
            columns={resultColumns(job)}
            rows={data.data}
            isBusy={result.isPlaceholderData}
          />
        </div>
      )}
      {data?.data.length === 0 && <Nobody filter={filter} onShowAll={() => go({ search: '', page: 1 })} />}
      {result.isPending && <Loading />}
      {result.isError && !data && <LoadFailed retry={() => result.refetch()} />}
      {data && (
        <Pagination
          paging={data.pagination}
          onPage={(next) => go({ page: next })}
          onPageSize={(size) => go({ pageSize: size, page: 1 })}
        />
      )}
    </Section>
  )
}

function Nobody({ filter, onShowAll }: { filter: JobSearch; onShowAll: () => void }) {
  const { t } = useTranslation()
  const isSearch = filter.search !== undefined
  return (
    <Stack align="start" gap="xs">
      <Text size="sm" c="dimmed">
        {t(isSearch ? 'COMMON.NO_DATA_FOUND' : 'JOB.NO_RESULTS')}
      </Text>
      {isSearch && (
        <Button variant="default" size="xs" onClick={onShowAll}>
          {t('COMMON.CLEAR_SEARCH')}
        </Button>
      )}
    </Stack>
  )
}

function useRecipients(job: Job, query: JobSearch) {
  const polling = usePolling()
  return useQuery({
    // Status and version are part of the key, so that the end and a change of the job each cause one more read.
    queryKey: ['jobs', 'rows', job.id, 'recipients', job.status, job.version, query],
    queryFn: ({ signal }) => call('GET /jobs/:id/recipients', { params: { id: job.id }, query }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: polling(isUnfinished(job) && POLL_MS),
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
        text: bracketed(t(`JOB.FILTER_${name.toUpperCase()}`), formatNumber(counts[name])),
      }))}
      chosen={chosen}
      onChoose={onChoose}
    />
  )
}
