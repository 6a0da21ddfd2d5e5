import { Button, Text } from '@mantine/core'
import { isUnfinished } from '@sendroom/contract/job-life'
import type { Job } from '@sendroom/contract/jobs'
import { limits } from '@sendroom/contract/limits'
import type { Page } from '@sendroom/contract/paging'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { usePolling } from '../../../api/event-stream.ts'
import { Pagination } from '../../../lists/pagination.tsx'
import { type Column, Table } from '../../../lists/table.tsx'
import { useClampPage } from '../../../lists/use-list.ts'
import { Section } from '../../../ui/section.tsx'
import classes from './job-detail.module.css'

const POLL_MS = 3000

type Paging = { page: number; pageSize: number }

type Props<Row> = {
  job: Job
  /** Translation keys of the heading and of the text for no rows. */
  title: string
  empty: string
  columns: Column<Row>[]
  /** The newest rows, which the job's own answer includes. */
  newest: Row[]
  load: (paging: Paging, signal: AbortSignal) => Promise<Page<Row>>
}

/** Rows of a job, newest first. Shows the newest ones until the user asks to page through all. */
export function JobTable<Row extends { id: number }>(props: Props<Row>) {
  const { job, title, empty, columns, newest, load } = props
  const { t } = useTranslation()
  const [paging, setPaging] = useState<Paging | null>(null)
  const polling = usePolling()
  const result = useQuery({
    // The status is part of the key, so that the end of the job causes one more read.
    queryKey: ['jobs', 'rows', job.id, title, job.status, paging],
    queryFn: ({ signal }) => load(paging ?? { page: 1, pageSize: limits.pageSize }, signal),
    enabled: paging !== null,
    placeholderData: keepPreviousData,
    refetchInterval: polling(isUnfinished(job) && POLL_MS),
  })
  const { data } = result
  useClampPage(result, paging?.page ?? 1, (page) => paging && setPaging({ ...paging, page }))
  const rows = (paging && data?.data) ?? newest
  return (
    <Section title={t(title)}>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t(empty)}
        </Text>
      ) : (
        // The container scrolls, so the keyboard must be able to focus it.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        <div className={classes.scroll} tabIndex={0}>
          <Table label={t(title)} columns={columns} rows={rows} />
        </div>
      )}
      {paging === null && newest.length >= limits.jobDetailRows && (
        <Button
          variant="subtle"
          size="compact-sm"
          mt="xs"
          onClick={() => setPaging({ page: 1, pageSize: 100 })}
        >
          {t('JOB.PAGE_THROUGH_ALL')}
        </Button>
      )}
      {paging && data && (
        <Pagination
          paging={data.pagination}
          onPage={(page) => setPaging({ ...paging, page })}
          onPageSize={(pageSize) => setPaging({ page: 1, pageSize })}
        />
      )}
    </Section>
  )
}
