import { Button, Text } from '@mantine/core'
import { isLive } from '@sendroom/contract/job-life'
import type { Job } from '@sendroom/contract/jobs'
import { limits } from '@sendroom/contract/limits'
import type { Page } from '@sendroom/contract/paging'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { usePolling } from '../../api/live.ts'
import tableClasses from '../../lists/data-table.module.css'
import { Pagination } from '../../lists/pagination.tsx'
import { usePageEnd } from '../../lists/use-page-end.ts'
import classes from './job-detail.module.css'
import { JobSection } from './job-section.tsx'

const LIVE_REFRESH_MS = 3000

export type RowColumn<Row> = {
  /** A translation key. */
  header: string
  cell: (row: Row) => ReactNode
  /** Short, and worse to read when it is broken: a date. */
  isOneLine?: boolean
}

type Paging = { page: number; pageSize: number }

type Props<Row> = {
  job: Job
  /** A key, as is `empty`. */
  title: string
  empty: string
  columns: RowColumn<Row>[]
  /** What came with the job; older rows are paged. */
  newest: Row[]
  load: (paging: Paging, signal: AbortSignal) => Promise<Page<Row>>
}

/** Rows of a job, newest first: those that came with it, and on demand pages of all. */
export function JobTable<Row extends { id: number }>(props: Props<Row>) {
  const { job, title, empty, columns, newest, load } = props
  const { t } = useTranslation()
  const [paging, setPaging] = useState<Paging | null>(null)
  const polling = usePolling()
  const result = useQuery({
    // The status is part of the key: the end of a job is a reason to look once more.
    queryKey: ['jobs', 'rows', job.id, title, job.status, paging],
    queryFn: ({ signal }) => load(paging ?? { page: 1, pageSize: limits.pageSize }, signal),
    enabled: paging !== null,
    placeholderData: keepPreviousData,
    refetchInterval: polling(isLive(job) && LIVE_REFRESH_MS),
  })
  const { data } = result
  usePageEnd(result, paging?.page ?? 1, (page) => paging && setPaging({ ...paging, page }))
  const rows = (paging && data?.data) ?? newest
  return (
    <JobSection title={t(title)}>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t(empty)}
        </Text>
      ) : (
        <Rows label={t(title)} columns={columns} rows={rows} />
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
    </JobSection>
  )
}

type RowsProps<Row> = { label: string; columns: RowColumn<Row>[]; rows: Row[] }

function Rows<Row extends { id: number }>({ label, columns, rows }: RowsProps<Row>) {
  const { t } = useTranslation()
  return (
    // It scrolls, so the keyboard must reach it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <div className={classes.scroll} tabIndex={0}>
      <table className={tableClasses.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ header }) => (
              <th key={header}>{t(header)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              {columns.map(({ header, cell, isOneLine }) => (
                <td
                  key={header}
                  data-label={t(header)}
                  className={isOneLine ? tableClasses.oneLine : undefined}
                >
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
