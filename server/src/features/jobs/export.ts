import type { JobRecipient, JobRecipientsFilter } from '@sendroom/contract/job-rows'
import type { JobRow } from '@sendroom/contract/jobs'
import type { Caller, Recheck } from '../../platform/access.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import type { Download, Exports } from '../../platform/export/exports.ts'
import { type Column, findToday, readPages, toCsv, toXlsx } from '../../platform/export/tables.ts'
import { orNotFound, Refusal } from '../../platform/refusal.ts'
import { recordAction } from './audit.ts'
import { findJobRow } from './jobs.queries.ts'
import { listRecipientsAfter } from './recipients.queries.ts'

const writers = { csv: toCsv, xlsx: toXlsx }

/** Exports the result for each recipient of a job. */
export async function exportRecipients(
  { db, exports }: { db: Pool; exports: Exports },
  { caller, recheck }: { caller: Caller; recheck: Recheck },
  { id, format, filter }: { id: number; format: keyof typeof writers; filter: JobRecipientsFilter },
  signal: AbortSignal,
): Promise<Download> {
  const job = await requireRecipients(db, caller, id)
  return exports.open({ caller, signal }, async () => {
    const pages = await readPages<JobRecipient>(
      (last) => listRecipientsAfter(db, id, filter, last?.id ?? 0),
      async () => requireRecipients(db, await recheck(), id),
    )
    const { outcome, search } = filter
    const details = { filter: { outcome, search: search || undefined } }
    await db.begin((tx) => recordAction(tx, caller, 'job.export', job, details))
    const name = ['Job', id, outcome, await findToday(db)].filter(Boolean).join('_')
    return { fileName: `${name}.${format}`, chunks: writers[format](columnsOf(job), pages) }
  })
}

/** Recipients that are too old are deleted a thousand at a time. What is left meanwhile is not the job's result. */
async function requireRecipients(db: Db, caller: Caller, id: number) {
  const job = orNotFound(await findJobRow(db, caller, id))
  if (job.areRecipientsDeleted) throw new Refusal('job_recipients_deleted')
  return job
}

const columns: Column<JobRecipient>[] = [
  { title: 'Recipient', width: 30, cell: ({ recipientName }) => recipientName },
  { title: 'Number or group id', width: 28, cell: ({ recipientId }) => recipientId },
  { title: 'Result', width: 10, cell: ({ status }) => status },
  { title: 'Sent at (GMT+7)', width: 20, cell: ({ sentAt }) => timeOf(sentAt) },
  { title: 'Delivered at (GMT+7)', width: 20, cell: ({ deliveredAt }) => timeOf(deliveredAt) },
  { title: 'Read at (GMT+7)', width: 20, cell: ({ readAt }) => timeOf(readAt) },
  { title: 'Members', width: 10, cell: ({ members }) => numberOf(members) },
  { title: 'Delivered to', width: 12, cell: ({ deliveredTo }) => numberOf(deliveredTo) },
  { title: 'Read by', width: 10, cell: ({ readBy }) => numberOf(readBy) },
  { title: 'Error', width: 60, cell: ({ errorMessage }) => errorMessage ?? '' },
]

/** A poll has a column for each option. */
const columnsOf = ({ content }: JobRow): Column<JobRecipient>[] =>
  content?.kind === 'poll' ? [...columns, ...content.options.map(votesFor), votesUpdated] : columns

const votesFor = (option: string): Column<JobRecipient> => ({
  title: option,
  width: 14,
  cell: ({ votes }) => (votes ? String(votes.counts[option] ?? 0) : ''),
})

const votesUpdated: Column<JobRecipient> = {
  title: 'Votes updated at (GMT+7)',
  width: 20,
  cell: ({ votes }) => timeOf(votes?.updatedAt ?? null),
}

const numberOf = (value: number | null) => String(value ?? '')

/** Vietnam has no daylight saving time. */
const OFFSET_MS = 7 * 3_600_000

const timeOf = (instant: string | null) =>
  instant === null
    ? ''
    : new Date(Date.parse(instant) + OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')
