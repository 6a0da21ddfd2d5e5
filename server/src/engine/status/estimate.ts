import type { JobType } from '@sendroom/contract/job-life'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { needsHistoryCheck } from '../shared/era.ts'
import { aboutQueued } from '../shared/queue.ts'
import { type ChatKind, type InstancePace, lastSendAt, type Queue } from './forecast.ts'

/** When a job's first message may be sent, and when its last one is sent at the instance's pace (ISO 8601). */
export type Expected = { beginsAt: string; endsAt: string }

const kindOf: Record<JobType, ChatKind> = { SendToGroups: 'g', SendToUsers: 'p' }

/**
 * How long an order would take if it were given now: at the instance's pace, beside its other jobs, and assuming that
 * the instance is healthy. Null for an order without recipients, or one that would take decades.
 */
export async function expectOrder(
  db: Db,
  order: { instanceId: number; jobType: JobType; recipients: number; scheduledAt: string | null },
): Promise<Expected | null> {
  const instance = await findPace(db, order.instanceId)
  return instance && expect(db, instance, { ...order, id: null, left: order.recipients })
}

/**
 * When a job with `left` recipients waiting ends. Null when that is not known: the job has ended or is paused, or its
 * instance sends nothing until its trouble is over.
 */
export async function expectEnd(db: Db, jobId: number, left: number): Promise<Expected | null> {
  if (left === 0) return null
  const job = await db.maybeOne<{ instanceId: number; jobType: JobType; scheduledAt: string | null }>(sql`
    select j.instance_id, j.job_type, j.scheduled_at from jobs j join instances i on i.id = j.instance_id
    where j.id = ${jobId} and j.status in ('Pending', 'Running') and j.paused_at is null
      and i.is_active and i.waiting is null`)
  const instance = job && (await findPace(db, job.instanceId))
  return instance ? expect(db, instance, { ...job, id: jobId, left }) : null
}

type Pace = InstancePace & {
  now: number
  /** No message goes to a phone number before this (ms since 1970). */
  restrictedUntil: number
}

async function findPace(db: Db, instanceId: number): Promise<Pace | null> {
  const row = await db.maybeOne<Row>(sql`
    select clock_now() as now, i.restricted_until,
      case when ${needsHistoryCheck} then greatest(i.next_due_at, (select history_complete_at from heartbeat))
        else i.next_due_at end as next_due_at,
      jsonb_build_object(
      'pauseMs', jsonb_build_object('g', (i.group_pause_from_ms + i.group_pause_to_ms) / 2.0,
        'p', (i.private_pause_from_ms + i.private_pause_to_ms) / 2.0),
      'cap', jsonb_build_object('g', i.group_cap, 'p', i.private_cap),
      'usage', i.sent_by_hour,
      'quiet', case when i.quiet_from is not null then jsonb_build_object(
        'from', left(i.quiet_from::text, 5), 'to', left(i.quiet_to::text, 5), 'timeZone', i.time_zone) end
    ) as pace
    from instances i where i.id = ${instanceId}`)
  if (!row) return null
  const now = Date.parse(row.now)
  return {
    ...row.pace,
    now,
    freeAt: Math.max(now, Date.parse(row.nextDueAt)),
    restrictedUntil: row.restrictedUntil === null ? 0 : Date.parse(row.restrictedUntil),
  }
}

type Row = {
  now: string
  nextDueAt: string
  restrictedUntil: string | null
  pace: Omit<InstancePace, 'freeAt'>
}

type Asked = {
  id: number | null
  instanceId: number
  jobType: JobType
  scheduledAt: string | null
  left: number
}

async function expect(db: Db, instance: Pace, asked: Asked): Promise<Expected | null> {
  const beginsAt = beginOf(asked, instance.now)
  const ours: Queue = { kind: kindOf[asked.jobType], left: asked.left, beginsAt }
  const held = (queue: Queue) =>
    queue.kind === 'g' ? queue : { ...queue, beginsAt: Math.max(queue.beginsAt, instance.restrictedUntil) }
  const others = await findOthers(db, asked, instance.now)
  const endsAt = lastSendAt(held(ours), others.map(held), instance)
  return endsAt === null ? null : { beginsAt: isoOf(beginsAt), endsAt: isoOf(endsAt) }
}

/** The instance's other queues in the order of their turns. Paused jobs are left out, since nobody knows when they resume. */
async function findOthers(db: Db, { id, instanceId }: Asked, now: number): Promise<Queue[]> {
  const others = await db.many<{ kind: ChatKind; left: number; scheduledAt: string | null }>(sql`
    select chat_kind(j.job_type) as kind, ${aboutQueued} as left, j.scheduled_at from jobs j
    where j.instance_id = ${instanceId} and j.id is distinct from ${id}
      and j.status in ('Pending', 'Running') and j.paused_at is null
    order by j.last_turn_at, j.id
    limit ${MAX_OTHERS}`)
  return others.map((job) => ({ ...job, beginsAt: beginOf(job, now) }))
}

/** Caps the query. No real instance has this many live jobs. */
const MAX_OTHERS = 200

const beginOf = ({ scheduledAt }: { scheduledAt: string | null }, now: number) =>
  Math.max(now, scheduledAt === null ? now : Date.parse(scheduledAt))

const isoOf = (moment: number) => new Date(moment).toISOString()
