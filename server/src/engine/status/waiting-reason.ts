import type { JobStatus } from '@sendroom/contract/job-life'
import type { ReasonCode } from '@sendroom/contract/reasons'
import type { Reason } from '@sendroom/contract/values'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { capFreeAt } from '../shared/daily-cap.ts'
import { needsHistoryCheck } from '../shared/era.ts'
import { jobMaySend } from '../shared/pace.ts'
import { hasDoubt, hasDueDelivery, hasInFlight, hasQueuedDelivery, requeuedUntil } from '../shared/queue.ts'

export type Waiting = {
  /** Null when nothing holds the job back, or it has ended. */
  waiting: Reason | null
  /** When its next message may go, as far as that is known (ISO 8601). */
  nextSendAt: string | null
}

type Facts = {
  id: number
  status: JobStatus
  isPaused: boolean
  isScheduled: boolean
  scheduledAt: string | null
  isActive: boolean
  instanceWaiting: Reason | null
  restrictedUntil: string | null
  needsHistoryCheck: boolean
  historyCheckAt: string
  quietUntil: string | null
  capFreeAt: string | null
  nextDueAt: string
  isBetweenMessages: boolean
  busy: Reason | null
  hasQueued: boolean
  hasDue: boolean
  hasDoubt: boolean
  isSending: boolean
  requeuedUntil: string | null
  othersTakeTurns: boolean
}

/**
 * Why a job sends nothing at the moment, the strongest reason first, for the job's page. The job's log names a trouble of
 * the instance when it begins (shared/job-log.ts, `troubleLines`); the page shows the present one, which may differ.
 */
export async function whyWaiting(db: Db, jobId: number): Promise<Waiting> {
  return (await whyAllWait(db, [jobId])).get(jobId) ?? none
}

/** The same for some jobs, by their ids. Those that do not exist are left out. */
export async function whyAllWait(db: Db, jobIds: readonly number[]): Promise<Map<number, Waiting>> {
  const facts = await findFacts(db, jobIds)
  return new Map(facts.map((job) => [job.id, reasonOf(job)]))
}

const none: Waiting = { waiting: null, nextSendAt: null }
const because = (code: ReasonCode, nextSendAt: string | null = null): Waiting => ({
  waiting: { code, params: {} },
  nextSendAt,
})

function reasonOf(job: Facts): Waiting {
  if (job.status !== 'Pending' && job.status !== 'Running') return none
  if (job.isPaused) return because('paused')
  if (job.isScheduled) return because('scheduled', job.scheduledAt)
  if (job.isSending) return none
  if (!job.hasQueued) return job.hasDoubt ? because('checking_outcome') : none
  if (!job.isActive) return because('account_inactive')
  if (job.instanceWaiting) return { waiting: job.instanceWaiting, nextSendAt: null }
  if (job.needsHistoryCheck) return because('checking_history', job.historyCheckAt)
  if (job.restrictedUntil) return because('account_restricted', job.restrictedUntil)
  if (job.quietUntil) return because('quiet_hours', job.quietUntil)
  if (job.capFreeAt) return because('daily_cap', job.capFreeAt)
  if (job.isBetweenMessages && job.busy) return because('provider_busy', job.nextDueAt)
  if (job.isBetweenMessages) return because('pause_between', job.nextDueAt)
  if (!job.hasDue) return because(job.hasDoubt ? 'checking_outcome' : 'provider_busy', job.requeuedUntil)
  return job.othersTakeTurns ? because('taking_turns') : none
}

/** Another job of the instance `i` has a message due. Within the subquery `j` is that job. */
const othersTakeTurns = sql`exists (
  select from jobs j
  where j.instance_id = i.id and j.id <> asked.id and ${jobMaySend} and ${hasDueDelivery}
)`

const findFacts = (db: Db, jobIds: readonly number[]) =>
  db.many<Facts>(sql`
    select j.id, j.status, j.paused_at is not null as is_paused, j.scheduled_at,
      j.status = 'Pending' and coalesce(j.scheduled_at, 'epoch') > clock_now() as is_scheduled,
      i.is_active, i.waiting as instance_waiting, i.busy, i.next_due_at, i.next_due_at > clock_now() as is_between_messages,
      case when j.job_type = 'SendToUsers' and i.restricted_until > clock_now() then i.restricted_until end
        as restricted_until,
      ${needsHistoryCheck} as needs_history_check,
      greatest(clock_now(), (select history_complete_at from heartbeat)) as history_check_at,
      quiet_until(i.quiet_from, i.quiet_to, i.time_zone, clock_now()) as quiet_until,
      ${capFreeAt} as cap_free_at,
      ${hasQueuedDelivery} as has_queued, ${hasDueDelivery} as has_due,
      ${hasDoubt} as has_doubt, ${hasInFlight} as is_sending,
      ${requeuedUntil} as requeued_until,
      ${othersTakeTurns} as others_take_turns
    from unnest(${jobIds}::bigint[]) asked (id)
      join jobs j on j.id = asked.id join instances i on i.id = j.instance_id`)
