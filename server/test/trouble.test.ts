import { contract } from '@sendroom/contract'
import type { Reason } from '@sendroom/contract/values'
import { expect, test } from 'vitest'
import { expectEnds, readBacklog, whyAllWait } from '../src/engine/index.ts'
import { findInstancesInTrouble, findStuckJobs } from '../src/features/dashboard/now.queries.ts'
import { lookForTroubles } from '../src/features/notices/watch.ts'
import { tokenHashOf } from '../src/features/session/open-session.ts'
import { findTroubledInstances } from '../src/features/system/system.queries.ts'
import { findCaller } from '../src/platform/access.ts'
import { type Sql, sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'

const context = useContext()

const NOON = '2027-01-05T05:00:00.000Z'
const waits = (code: string, params = {}) => sql`waiting = ${JSON.stringify({ code, params })}::jsonb`
const busySince = (code: string, since: string) => sql`
  busy = ${JSON.stringify({ code, params: {} })}::jsonb, busy_since = clock_now() - ${since}::interval,
  last_intent_at = clock_now() - interval '1 second', next_due_at = clock_now() + interval '30 seconds'`
const isRestricted = sql`restricted_until = clock_now() + interval '1 day'`
const isIdle = sql`last_intent_at = clock_now() - interval '2 minutes', next_due_at = clock_now() - interval '2 minutes'`
const isQuiet = sql`quiet_from = '00:00', quiet_to = '23:59'`
const isSending = sql`in_flight = (select min(d.id) from deliveries d join jobs j on j.id = d.job_id
      where d.instance_id = instances.id and j.status = 'Running' and d.status in ('queued', 'sending'))`
const wasLinked = sql`last_sync_at = clock_now()`

const instances: Record<string, Sql[]> = {
  'may send': [],
  'pauses for ten minutes': [sql`next_due_at = clock_now() + interval '10 minutes'`],
  'has sent nothing for two minutes': [isIdle],
  inactive: [sql`is_active = false`],
  'inactive, stopped by failures': [waits('account_failures', { count: 10 }), sql`is_active = false`],
  'stopped by failures': [waits('account_failures', { count: 10 })],
  'not linked any more': [waits('account_not_linked'), sql`status = 'NeedsLogin'`, wasLinked],
  'history unreadable': [waits('history_unreadable')],
  restricted: [isRestricted],
  'restricted, and has sent nothing for two minutes': [isRestricted, isIdle],
  'restricted and stopped by failures': [isRestricted, waits('account_failures', { count: 10 })],
  'restricted, with a bad token': [isRestricted, sql`status = 'BadToken'`, wasLinked],
  'status NeedsLogin': [sql`status = 'NeedsLogin'`, wasLinked],
  'status NeedsLogin, never linked': [sql`status = 'NeedsLogin'`],
  'status BadToken': [sql`status = 'BadToken'`, wasLinked],
  'status Unpaid': [sql`status = 'Unpaid'`, wasLinked],
  'status Disconnected': [sql`status = 'Disconnected'`, wasLinked],
  'status Connecting': [sql`status = 'Connecting'`, wasLinked],
  'provider busy for a minute': [busySince('provider_busy', '1 minute')],
  'provider away for 20 minutes': [busySince('provider_unreachable', '20 minutes')],
  'image store down for 20 minutes': [busySince('image_store_down', '20 minutes')],
  'provider away for 20 minutes, an attempt is due': [
    busySince('provider_unreachable', '20 minutes'),
    isIdle,
  ],
  'provider away for 20 minutes, an attempt runs': [
    busySince('provider_unreachable', '20 minutes'),
    isSending,
  ],
  'one attempt failed at a slow pace, the next one runs': [
    busySince('provider_busy', '1 minute'),
    sql`group_pause_to_ms = 1800000`,
    isSending,
  ],
  'provider away for 20 minutes, quiet hours': [busySince('provider_unreachable', '20 minutes'), isQuiet],
  'quiet hours': [isQuiet],
  'cap reached': [
    sql`group_cap = 1, private_cap = 1`,
    sql`sent_by_hour = record_usage(record_usage('{}', 'g', clock_now(), 1), 'p', clock_now(), 1)`,
  ],
  'capped by WhatsApp': [sql`capped_until = clock_now() + interval '1 day'`],
  'day of rest': [
    sql`private_days = 1`,
    sql`sent_by_day = jsonb_build_object('p' || local_day(clock_now(), time_zone) - 1, 20)`,
  ],
  'warming up, and has sent as many': [
    sql`warm_up_step = 20, sent_by_hour = record_usage('{}', 'p', clock_now(), 20)`,
  ],
  'nobody new allowed': [sql`new_people_left = 0, new_people_until = clock_now() + interval '1 day'`],
  'hours of the day used up': [
    sql`private_hours = 1, sent_by_hour = record_usage('{}', 'p', clock_now() - interval '2 hours', 1)`,
  ],
  '15 minutes used up': [
    sql`private_per_quarter = 1, last_private_at = array[clock_now() - interval '5 minutes']`,
  ],
  'history not checked yet': [sql`checked_era = null`],
  'history not checked for two minutes': [sql`checked_era = null`, isIdle],
  'incoming messages not read yet': [sql`incoming_until = 'epoch'`],
  'expires in six days': [sql`expired_time = clock_now() + interval '6 days'`],
  expired: [sql`expired_time = clock_now() - interval '6 days'`],
  'sends a message': [isSending],
}

type AddJob = (instanceId: number) => Promise<{ id: number }>
const running: AddJob = (instanceId) => context.add.job({ instanceId, status: 'Running' })

/** Each adds the jobs of an instance, and returns the one that is looked at. */
const jobs: Record<string, AddJob> = {
  'to groups': running,
  'to people': (instanceId) =>
    context.add.job({ instanceId, status: 'Running', recipients: ['84900000001@s.whatsapp.net'] }),
  'to groups, beside another': async (instanceId) => {
    await running(instanceId)
    return running(instanceId)
  },
  'to groups, all tried and due later': async (instanceId) => {
    const job = await running(instanceId)
    await context.db.run(sql`
      update deliveries set not_before = clock_now() + interval '10 minutes' where job_id = ${job.id}`)
    await context.db.run(
      sql`update jobs set cursor = (select max(id) + 1 from deliveries) where id = ${job.id}`,
    )
    return job
  },
  'to groups, in doubt': async (instanceId) => {
    const job = await context.add.job({ instanceId, status: 'Running', deliveryStatus: 'doubt' })
    await context.db.run(sql`update deliveries set doubt_since = clock_now() where job_id = ${job.id}`)
    await context.db.run(
      sql`update jobs set cursor = (select max(id) + 1 from deliveries) where id = ${job.id}`,
    )
    return job
  },
  paused: (instanceId) => context.add.job({ instanceId, status: 'Running', pausedAt: NOON }),
  scheduled: (instanceId) => context.add.job({ instanceId, scheduledAt: '2027-01-06T05:00:00.000Z' }),
  'about to start': (instanceId) => context.add.job({ instanceId }),
  failed: (instanceId) =>
    context.add.job({ instanceId, status: 'Failed', deliveryStatus: 'failed', completedAt: NOON }),
}

type Case = { instance: string; job: string; instanceId: number; jobId: number }

// R-1213
test('what each place says of an instance and its job, for each state of both', async () => {
  await context.freezeClock()
  await context.setClock(NOON)
  const cases = await addCases()
  await enterStates(cases)
  await lookForTroubles(context.db, { hasMail: false })
  // The dashboard names a job that has been stuck for a minute.
  await context.moveClock('61 seconds')
  await enterStates(cases)
  await lookForTroubles(context.db, { hasMail: false })
  await expect(await tableOf(cases)).toMatchFileSnapshot('trouble-table.txt')
})

async function addCases(): Promise<Case[]> {
  const cases: Case[] = []
  for (const instance of Object.keys(instances))
    for (const [job, add] of Object.entries(jobs)) {
      const { id: instanceId } = await context.add.instance({ name: `${instance}: ${job}` })
      cases.push({ instance, job, instanceId, jobId: (await add(instanceId)).id })
    }
  await context.db.run(
    sql`update jobs set started_at = clock_now() - interval '1 hour' where status = 'Running'`,
  )
  return cases
}

/** Puts all instances into their states, as of the present time. */
async function enterStates(cases: Case[]) {
  await context.db.run(sql`update heartbeat set beat_at = clock_now(), timeline = current_timeline()`)
  await context.db.run(sql`update instances set last_intent_at = clock_now(), next_due_at = clock_now()`)
  for (const [instance, sets] of Object.entries(instances)) {
    const ids = cases.filter((each) => each.instance === instance).map(({ instanceId }) => instanceId)
    for (const set of sets) await context.db.run(sql`update instances set ${set} where id = any(${ids})`)
  }
  // As an intent does. So nothing else of the job is queued.
  await context.db.run(sql`
    with sending as (
      update deliveries d set status = 'sending', intent_at = clock_now() from instances i
      where d.id = i.in_flight and d.status = 'queued'
      returning d.id, d.job_id
    )
    update jobs j set cursor = greatest(j.cursor, sending.id + 1) from sending where j.id = sending.job_id`)
}

/**
 * For each state of an instance what is said of the instance, and what is said of its job. Equal sentences are one
 * line.
 */
async function tableOf(cases: Case[]): Promise<string> {
  const places = await readPlaces(cases)
  const lines: string[] = []
  for (const instance of Object.keys(instances)) {
    lines.push('', instance)
    for (const say of [places.ofInstance, places.ofJob]) {
      const same = new Map<string, string[]>()
      for (const each of cases.filter((one) => one.instance === instance)) {
        const said = await say(each)
        same.set(said, [...(same.get(said) ?? []), each.job])
      }
      for (const [said, which] of same) {
        const isAny = which.length === Object.keys(jobs).length
        lines.push(`  ${isAny ? 'any job' : which.join(', ')} → ${said}`)
      }
    }
  }
  const { unclaimedInstances, waitingInstances } = await readBacklog(context.db)
  lines.push('', `metrics: ${unclaimedInstances} accounts without a worker, ${waitingInstances} wait`)
  return `${lines.slice(1).join('\n')}\n`
}

type Trouble = { kind: string; instanceId: number; jobId: number; reason: Reason | null }

/** Reads all places. Returns what they say of one case. */
async function readPlaces(cases: Case[]) {
  const { db } = context
  const admin = await context.add.admin()
  const caller = await findCaller(db, tokenHashOf(admin.token), '')
  if (!caller) throw new Error('The admin is signed in')
  const { now } = await db.one<{ now: string }>(sql`select clock_now() as now`)
  const ids = cases.map(({ jobId }) => jobId)
  const reasons = await whyAllWait(db, ids)
  const ends = await expectEnds(
    db,
    ids.map((id) => ({ id, left: 1 })),
  )
  const troubles = await db.many<Trouble>(
    sql`select kind, instance_id, job_id, reason from troubles where ended_at is null and gone_at is null`,
  )
  const pageSize = 100
  const listed = await allPages((page) =>
    context.call(admin, contract.instances.list, { query: { page, pageSize } }),
  )
  const needAttention = await allPages((page) =>
    context.call(admin, contract.instances.list, { query: { page, pageSize, only: 'attention' } }),
  )
  const stuckJobs = await allPages((page) =>
    context.call(admin, contract.jobs.list, { query: { page, pageSize, only: 'stuck' } }),
  )
  const { names } = await findTroubledInstances(db, cases.length)

  const because = (why: Reason | null | undefined) => why?.code ?? 'no reason'
  const until = (time: string | null) =>
    time ? ` for ${Math.round((Date.parse(time) - Date.parse(now)) / 60_000)} min` : ''
  const noticesOf = (kinds: string[], isOf: (trouble: Trouble) => boolean) =>
    troubles
      .filter((each) => kinds.includes(each.kind) && isOf(each))
      .map(({ kind, reason }) => `${kind} ${because(reason)}`)
  const memberOf = (instanceId: number) => ({ ...caller, role: 'Member' as const, instanceIds: [instanceId] })
  const join = (parts: (string | false | null | undefined)[]) => parts.filter(Boolean).join('; ') || 'nothing'

  return {
    async ofInstance({ instanceId }: Case) {
      const [shown] = await findInstancesInTrouble(db, memberOf(instanceId))
      const row = listed.find(({ id }) => id === instanceId)
      return join([
        row?.waiting && `list: ${because(row.waiting)}`,
        ...Object.entries(row?.holds ?? {}).map(
          ([kind, hold]) => hold && `${kind}: ${because(hold.why)}${until(hold.until)}`,
        ),
        shown && `dashboard: ${because(shown.reason)}${until(shown.until)}`,
        needAttention.some(({ id }) => id === instanceId) && 'needs attention',
        ...noticesOf(['account_down', 'account_expiring'], (trouble) => trouble.instanceId === instanceId),
        names.some((name) => name === row?.name) && 'System page',
      ])
    },
    async ofJob({ instanceId, jobId }: Case) {
      const why = reasons.get(jobId)
      const [shown] = await findStuckJobs(db, memberOf(instanceId))
      return join([
        `page: ${because(why?.waiting)}${until(why?.nextSendAt ?? null)}${ends.has(jobId) ? '' : ', end unknown'}`,
        shown && 'needs attention',
        stuckJobs.some(({ id }) => id === jobId) && 'list of stuck jobs',
        ...noticesOf(['job_stuck', 'job_failed'], (trouble) => trouble.jobId === jobId),
      ])
    },
  }
}

type Page<Row> = { body: { data: Row[]; pagination: { totalPages: number } } }

async function allPages<Row>(read: (page: number) => Promise<Page<Row>>): Promise<Row[]> {
  const { data, pagination } = (await read(1)).body
  const rows = [...data]
  for (let page = 2; page <= pagination.totalPages; page++) rows.push(...(await read(page)).body.data)
  return rows
}
