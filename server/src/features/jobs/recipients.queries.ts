import type { JobRecipient, JobRecipientsFilter, JobRecipientsQuery } from '@sendroom/contract/job-rows'
import type { RecipientCounts } from '@sendroom/contract/jobs'
import type { Page } from '@sendroom/contract/paging'
import type { RecipientOutcome } from '@sendroom/contract/recipient-outcomes'
import { recipientCounts } from '../../engine/index.ts'
import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'
import { deliveryColumns, isOfJob, isWaiting, searched, withErrorMessage } from './job-rows.queries.ts'

type RecipientRow = Omit<JobRecipient, 'errorMessage'>

const hasOutcome: Record<RecipientOutcome, Sql> = {
  Sent: sql`d.status = 'sent'`,
  // Every failed delivery has a reason. The index deliveries_reason needs to be told.
  Failed: sql`d.status = 'failed' and d.reason is not null`,
  Waiting: isWaiting,
  Skipped: sql`d.status = 'skipped'`,
}

const matchesFilter = ({ outcome, search }: JobRecipientsFilter) =>
  sql`${outcome ? hasOutcome[outcome] : sql`true`} ${searched(search)}`

/**
 * Lists the failed recipients first. Without a search, a page near the beginning reads few deliveries of a large job.
 */
export async function listRecipients(
  db: Db,
  jobId: number,
  query: JobRecipientsQuery,
): Promise<Page<JobRecipient>> {
  const { outcome, search } = query
  const counts = search ? null : await recipientCounts(db, jobId)
  const page = await listPage<RecipientRow>(
    db,
    { ...query, sortDirection: 'asc' },
    {
      select: deliveryColumns,
      from: sql`from deliveries d where d.job_id = ${jobId} and ${matchesFilter(query)}`,
      sortBy: sql`d.status <> 'failed'`,
      id: sql`d.id`,
      countKey: ['recipients', jobId, outcome, search],
      total: counts ? async () => totalOf(counts, outcome) : undefined,
      ids: counts ? (limit, offset) => idsOf(jobId, outcome, counts, { limit, offset }) : undefined,
    },
  )
  return { ...page, data: page.data.map(withErrorMessage) }
}

function totalOf({ total, sent, failed, waiting, skipped }: RecipientCounts, outcome?: RecipientOutcome) {
  return outcome ? { Sent: sent, Failed: failed, Waiting: waiting, Skipped: skipped }[outcome] : total
}

type Slice = { limit: number; offset: number }

function idsOf(
  jobId: number,
  outcome: RecipientOutcome | undefined,
  { failed }: RecipientCounts,
  { limit, offset }: Slice,
): Sql {
  const slice = (condition: Sql, part: Slice) => sql`(
    select d.id from deliveries d where ${isOfJob('d', jobId)} and ${condition}
    order by d.job_id, d.id limit ${part.limit} offset ${part.offset})`
  if (outcome === 'Waiting') return waitingIds(jobId, { limit, offset })
  if (outcome) return slice(hasOutcome[outcome], { limit, offset })
  const failedHere = Math.min(limit, Math.max(0, failed - offset))
  return sql`
    ${slice(hasOutcome.Failed, { limit: failedHere, offset })} union all
    ${slice(sql`d.status <> 'failed'`, { limit: limit - failedHere, offset: Math.max(0, offset - failed) })}`
}

/**
 * Most wait from the job's cursor on. Indexes find the few before: requeued, in doubt, being sent. See
 * engine/shared/queue.ts.
 */
const waitingIds = (jobId: number, { limit, offset }: Slice) => sql`
  select id from (
    (select d.id from deliveries d where d.job_id = ${jobId} and d.not_before > 'epoch' and d.status = 'queued')
    union
    (select d.id from deliveries d join instances i on i.id = d.instance_id
     where i.id = (select instance_id from jobs where id = ${jobId}) and d.job_id = ${jobId} and ${isWaiting}
       and d.doubt_since is not null)
    union
    (select d.id from instances i join deliveries d on d.id = i.in_flight
     where i.id = (select instance_id from jobs where id = ${jobId}) and d.job_id = ${jobId} and ${isWaiting})
    union
    (select d.id from deliveries d
     where ${isOfJob('d', jobId, sql`(select cursor - 1 from jobs where id = ${jobId})`)} and ${isWaiting}
     order by d.job_id, d.id limit ${limit + offset})
  ) waiting order by id limit ${limit} offset ${offset}`

const RECIPIENTS_AT_ONCE = 2000

/** Returns the next recipients behind the delivery `after`, in the order in which the job sends. */
export async function listRecipientsAfter(
  db: Db,
  jobId: number,
  filter: JobRecipientsFilter,
  after: number,
): Promise<JobRecipient[]> {
  const rows = await db.many<RecipientRow>(sql`
    ${deliveryColumns} from deliveries d
    where ${isOfJob('d', jobId, sql`${after}`)} and ${matchesFilter(filter)}
    order by d.job_id, d.id limit ${RECIPIENTS_AT_ONCE}`)
  return rows.map(withErrorMessage)
}
