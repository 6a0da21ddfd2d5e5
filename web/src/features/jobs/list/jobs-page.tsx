import { isUnfinished } from '@sendroom/contract/job-life'
import type { JobRow } from '@sendroom/contract/jobs'
import { useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { useAction } from '../../../api/use-action.ts'
import { formatDateTime } from '../../../format.ts'
import { DataTable } from '../../../lists/data-table.tsx'
import { AddButton, BulkDeleteButton } from '../../../lists/list-buttons.tsx'
import { ListPage } from '../../../lists/list-page.tsx'
import { OnlySome } from '../../../lists/only-some.tsx'
import type { Column } from '../../../lists/table.tsx'
import { useList } from '../../../lists/use-list.ts'
import { MessageTitle } from '../../../ui/message-title.tsx'
import { Name } from '../../../ui/name.tsx'
import { JobTypeName } from '../shared/job-labels.tsx'
import { JobOutcome } from './job-outcome.tsx'
import { JobRowActions } from './job-row-actions.tsx'
import type { JobsSearch } from './jobs-search.ts'

const POLL_MS = 3000

const columns: Column<JobRow>[] = [
  { header: 'JOB.ID', cell: (job) => job.id, sortBy: 'id', line: 1 },
  { header: 'JOB.TYPE', cell: (job) => <JobTypeName type={job.jobType} />, sortBy: 'jobType', line: 3 },
  {
    header: 'JOB.MESSAGE',
    cell: ({ name, messageTitle, imageUrl, content }) => (
      <MessageTitle name={name} text={messageTitle} imageUrl={imageUrl} content={content} />
    ),
    sortBy: 'messageTitle',
    line: 2,
  },
  { header: 'JOB.INSTANCE', cell: (job) => <Name>{job.instanceName}</Name>, line: 3 },
  { header: 'JOB.STATUS', cell: (job) => <JobOutcome job={job} />, sortBy: 'status', line: 1 },
  {
    header: 'JOB.CREATED_AT',
    cell: (job) => formatDateTime(job.createdAt),
    sortBy: 'createdAt',
    line: 3,
    isOneLine: true,
  },
]

export function JobsPage() {
  const { t } = useTranslation()
  const isAllowed = mayDo('canCreateJobs', useCurrentUser())
  const reason = isAllowed ? undefined : t('JOB.NOT_ALLOWED')
  const removeAll = useAction('POST /jobs/bulk-delete', {
    success: 'JOB.ALL_DELETED',
    failure: 'JOB.DELETE_FAILED',
  })
  const { only }: JobsSearch = useSearch({ strict: false })
  const filters: Pick<JobsSearch, 'only'> = only ? { only } : {}
  const list = useList({
    feature: 'jobs',
    sortFields: ['id', 'jobType', 'messageTitle', 'status', 'createdAt'],
    sortDirection: 'desc',
    filters,
    load: (query, signal) => call('GET /jobs', { query: { ...query, ...filters } }, signal),
    words: 'JOB.LOAD_FAILED',
    pollEvery: (rows) => rows.some(isUnfinished) && POLL_MS,
  })
  const isWhole = list.query.search === '' && !only
  return (
    <ListPage
      title="JOB.LIST_TITLE"
      list={list}
      buttons={<AddButton to="/jobs/new" label="JOB.ADD" reason={reason} />}
      bulk={
        <BulkDeleteButton
          selected={list.selected}
          question="JOB.CONFIRM_DELETE_ALL"
          isBusy={removeAll.isPending}
          reason={reason}
          onDelete={(jobIds) => removeAll.mutate({ body: { jobIds } })}
        />
      }
    >
      {only && <OnlySome words={`JOB.ONLY_${only.toUpperCase()}`} all="/jobs" />}
      <DataTable
        list={list}
        label="JOB.LIST_TITLE"
        columns={columns}
        empty={isWhole ? (isAllowed ? 'JOB.EMPTY' : 'COMMON.NO_DATA') : 'COMMON.NO_DATA_FOUND'}
        rowName={(job) => `${t('JOB.ID')} ${job.id}`}
        actions={(job) => <JobRowActions job={job} isAllowed={isAllowed} />}
      />
    </ListPage>
  )
}
