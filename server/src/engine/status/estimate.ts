import { setImmediate as nextTurn } from 'node:timers/promises'
import type { JobType } from '@sendroom/contract/job-life'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { waitsForReview } from '../shared/approval.ts'
import { needsHistoryCheck } from '../shared/era.ts'
import { aboutQueued, requeuedUntilLast } from '../shared/queue.ts'
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
  order: Pick<Asked, 'instanceId' | 'jobType' | 'scheduledAt'> & { recipients: number; newPeople: number },
): Promise<Expected | null> {
  const { recipients: left, newPeople } = order
  const [expected] = await expectAll(db, [{ ...order, id: null, left, newPeople, lastNotBefore: null }])
  return expected ?? null
}

/**
 * When a job with `left` recipients waiting ends. Null when that is not known: the job has ended, is paused or not
 * approved, or its instance sends nothing until its trouble is over.
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
    select j.id, j.instance_id, j.job_type, j.scheduled_at, j.new_people_count as new_people,
      ${requeuedUntilLast} as last_not_before
    from jobs j join instances i on i.id = j.instance_id
    where j.id = any(${[...left.keys()]}::bigint[]) and j.status in ('Pending', 'Running') and j.paused_at is null
      and not ${waitsForReview} and i.is_active and i.waiting is null`)
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
  /** WhatsApp lets no message go to people before this (ms since 1970). */
  limitedUntil: number
}

async function findPaces(db: Db, instanceIds: readonly number[]): Promise<Pace[]> {
  const rows = await db.many<Row>(sql`
    select i.id, clock_now() as now, greatest(i.restricted_until, i.capped_until) as limited_until,
      case when ${needsHistoryCheck} then greatest(i.next_due_at, (select history_complete_at from heartbeat))
        else i.next_due_at end as next_due_at,
      jsonb_build_object(
      'pauseMs', jsonb_build_object('g', (i.group_pause_from_ms + i.group_pause_to_ms) / 2.0,
        'p', (i.private_pause_from_ms + i.private_pause_to_ms) / 2.0),
      'cap', jsonb_build_object('g', i.group_cap, 'p', i.private_cap),
      'people', ${peoplePace},
      'usage', i.sent_by_hour,
      'quiet', case when i.quiet_from is not null then jsonb_build_object(
        'from', left(i.quiet_from::text, 5), 'to', left(i.quiet_to::text, 5), 'timeZone', i.time_zone) end
    ) as pace
    from instances i where i.id = any(${instanceIds}::bigint[])`)
  return rows.map(paceOf)
}

/** As `PeoplePace`. Null without any limit, and the forecast is faster then. */
const peoplePace = sql`
  case when i.has_people_limits or i.warned_until > clock_now()
  then jsonb_build_object('perQuarter', i.private_per_quarter, 'hours', i.private_hours, 'days', i.private_days,
    'newPeople', i.new_people_cap, 'slowAfter', i.private_slow_after,
    'slowPauseMs', (i.private_slow_pause_from_ms + i.private_slow_pause_to_ms) / 2.0, 'warmUpStep', i.warm_up_step,
    'timeZone', i.time_zone, 'byDay', i.sent_by_day,
    'lastAt', (select coalesce(jsonb_agg(extract(epoch from at) * 1000 order by at), '[]')
      from unnest(i.last_private_at) at),
    'quota', case when i.new_people_left is not null and i.new_people_until > clock_now() then jsonb_build_object(
      'left', i.new_people_left, 'until', extract(epoch from i.new_people_until) * 1000) end,
    'warnedUntil', coalesce(extract(epoch from i.warned_until) * 1000, 0)) end`

type Row = {
  id: number
  now: string
  nextDueAt: string
  limitedUntil: string | null
  pace: Omit<InstancePace, 'freeAt'>
}

function paceOf(row: Row): Pace {
  const now = Date.parse(row.now)
  return {
    ...row.pace,
    instanceId: row.id,
    now,
    freeAt: Math.max(now, Date.parse(row.nextDueAt)),
    limitedUntil: row.limitedUntil === null ? 0 : Date.parse(row.limitedUntil),
  }
}

type Asked = {
  id: number | null
  instanceId: number
  jobType: JobType
  scheduledAt: string | null
  left: number
  /** The last so many go to new people. */
  newPeople: number
  /** When the last of those is due that were put off. */
  lastNotBefore: string | null
}

function expect(instance: Pace, asked: Asked, others: readonly UnfinishedJob[]): Expected | null {
  const queueOf = ({
    kind,
    left,
    newPeople,
    scheduledAt,
  }: Pick<UnfinishedJob, 'kind' | 'left' | 'newPeople' | 'scheduledAt'>): Queue => {
    const beginsAt = beginOf({ scheduledAt }, instance.now)
    return {
      ...{ kind, left, newPeople },
      beginsAt: kind === 'g' ? beginsAt : Math.max(beginsAt, instance.limitedUntil),
    }
  }
  const ours = queueOf({ ...asked, kind: kindOf[asked.jobType] })
  const endsAt = lastSendAt(ours, others.map(queueOf), instance)
  if (endsAt === null) return null
  const lastAt = Math.max(endsAt, asked.lastNotBefore === null ? 0 : Date.parse(asked.lastNotBefore))
  return { beginsAt: isoOf(beginOf(asked, instance.now)), endsAt: isoOf(lastAt) }
}

type UnfinishedJob = {
  id: number
  instanceId: number
  kind: ChatKind
  left: number
  newPeople: number
  scheduledAt: string | null
}

/** The instances' queues in the order of their turns. Nobody knows when those send that are paused or not approved. */
const findQueues = (db: Db, instanceIds: readonly number[]) =>
  db.many<UnfinishedJob>(sql`
    select j.id, j.instance_id, chat_kind(j.job_type) as kind, ${aboutQueued} as left,
      j.new_people_count as new_people, j.scheduled_at
    from jobs j
    where j.instance_id = any(${instanceIds}::bigint[]) and j.status in ('Pending', 'Running') and j.paused_at is null
      and not ${waitsForReview}
    order by j.last_turn_at, j.id
    limit ${MAX_QUEUES * instanceIds.length}`)

/** Caps the query. No real instance has this many unfinished jobs. */
const MAX_QUEUES = 200

const beginOf = ({ scheduledAt }: { scheduledAt: string | null }, now: number) =>
  Math.max(now, scheduledAt === null ? now : Date.parse(scheduledAt))

const isoOf = (moment: number) => new Date(moment).toISOString()
