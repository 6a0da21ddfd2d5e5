import { setImmediate as nextTurn } from 'node:timers/promises'
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
  const [expected] = await expectAll(db, [{ ...order, id: null, left: order.recipients }])
  return expected ?? null
}

/**
 * When a job with `left` recipients waiting ends. Null when that is not known: the job has ended or is paused, or its
 * instance sends nothing until its trouble is over.
 */
export async function expectEnd(db: Db, jobId: number, left: number): Promise<Expected | null> {
  return (await expectEnds(db, [{ id: jobId, left }])).get(jobId) ?? null
}

/** The same for some jobs, by their ids. Those whose end is not known are left out. */
export async function expectEnds(
  db: Db,
  jobs: readonly { id: number; left: number }[],
): Promise<Map<number, Expected>> {
  const left = new Map(jobs.map((job) => [job.id, job.left]))
  const asked = await db.many<Omit<Asked, 'left'> & { id: number }>(sql`
    select j.id, j.instance_id, j.job_type, j.scheduled_at from jobs j join instances i on i.id = j.instance_id
    where j.id = any(${[...left.keys()]}::bigint[]) and j.status in ('Pending', 'Running') and j.paused_at is null
      and i.is_active and i.waiting is null`)
  const open = asked.map((job) => ({ ...job, left: left.get(job.id) ?? 0 })).filter((job) => job.left > 0)
  const expected = await expectAll(db, open)
  return new Map(open.flatMap(({ id }, place) => (expected[place] ? [[id, expected[place]]] : [])))
}

/** Makes the forecasts in a constant number of queries. Other requests get their turn between two forecasts. */
async function expectAll(db: Db, asked: readonly Asked[]): Promise<(Expected | null)[]> {
  if (asked.length === 0) return []
  const instanceIds = [...new Set(asked.map(({ instanceId }) => instanceId))]
  const [paces, queues] = await Promise.all([findPaces(db, instanceIds), findQueues(db, instanceIds)])
  const all: (Expected | null)[] = []
  for (const job of asked) {
    const pace = paces.find(({ instanceId }) => instanceId === job.instanceId)
    const others = queues.filter(({ instanceId, id }) => instanceId === job.instanceId && id !== job.id)
    if (all.length > 0) await nextTurn()
    all.push(pace ? expect(pace, job, others) : null)
  }
  return all
}

type Pace = InstancePace & {
  instanceId: number
  now: number
  /** No message goes to a phone number before this (ms since 1970). */
  restrictedUntil: number
}

async function findPaces(db: Db, instanceIds: readonly number[]): Promise<Pace[]> {
  const rows = await db.many<Row>(sql`
    select i.id, clock_now() as now, i.restricted_until,
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
    from instances i where i.id = any(${instanceIds}::bigint[])`)
  return rows.map(paceOf)
}

type Row = {
  id: number
  now: string
  nextDueAt: string
  restrictedUntil: string | null
  pace: Omit<InstancePace, 'freeAt'>
}

function paceOf(row: Row): Pace {
  const now = Date.parse(row.now)
  return {
    ...row.pace,
    instanceId: row.id,
    now,
    freeAt: Math.max(now, Date.parse(row.nextDueAt)),
    restrictedUntil: row.restrictedUntil === null ? 0 : Date.parse(row.restrictedUntil),
  }
}

type Asked = {
  id: number | null
  instanceId: number
  jobType: JobType
  scheduledAt: string | null
  left: number
}

function expect(instance: Pace, asked: Asked, others: readonly UnfinishedJob[]): Expected | null {
  const queueOf = ({
    kind,
    left,
    scheduledAt,
  }: Pick<UnfinishedJob, 'kind' | 'left' | 'scheduledAt'>): Queue => {
    const beginsAt = beginOf({ scheduledAt }, instance.now)
    return { kind, left, beginsAt: kind === 'g' ? beginsAt : Math.max(beginsAt, instance.restrictedUntil) }
  }
  const ours = queueOf({ ...asked, kind: kindOf[asked.jobType] })
  const endsAt = lastSendAt(ours, others.map(queueOf), instance)
  return endsAt === null ? null : { beginsAt: isoOf(beginOf(asked, instance.now)), endsAt: isoOf(endsAt) }
}

type UnfinishedJob = {
  id: number
  instanceId: number
  kind: ChatKind
  left: number
  scheduledAt: string | null
}

/** The instances' queues in the order of their turns. Paused jobs are left out, since nobody knows when they resume. */
const findQueues = (db: Db, instanceIds: readonly number[]) =>
  db.many<UnfinishedJob>(sql`
    select j.id, j.instance_id, chat_kind(j.job_type) as kind, ${aboutQueued} as left, j.scheduled_at from jobs j
    where j.instance_id = any(${instanceIds}::bigint[]) and j.status in ('Pending', 'Running') and j.paused_at is null
    order by j.last_turn_at, j.id
    limit ${MAX_QUEUES * instanceIds.length}`)

/** Caps the query. No real instance has this many unfinished jobs. */
const MAX_QUEUES = 200

const beginOf = ({ scheduledAt }: { scheduledAt: string | null }, now: number) =>
  Math.max(now, scheduledAt === null ? now : Date.parse(scheduledAt))

const isoOf = (moment: number) => new Date(moment).toISOString()
