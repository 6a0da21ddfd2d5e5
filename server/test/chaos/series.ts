import { setTimeout as delay } from 'node:timers/promises'
import { NewSeries } from '@sendroom/contract/series'
import { readNumbersOf, recipientRules } from '../../src/features/jobs/recipients.service.ts'
import { moveRun, skipRun } from '../../src/features/series/runs.service.ts'
import {
  changeSeries,
  createSeries,
  pauseSeries,
  resumeSeries,
} from '../../src/features/series/series.service.ts'
import { type Begin, lockAuthor } from '../../src/platform/access.ts'
import type { Db, Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { Refusal } from '../../src/platform/refusal.ts'
import { secretsOf } from '../../src/platform/secrets.ts'
import { factories } from '../factories.ts'
import { retryWhileDown } from '../kill-postgres.ts'
import { SECRET_KEY } from './environment.ts'
import type { ChaosInstance } from './instances.ts'
import { shiftIdleClock } from './instruments.ts'
import type { SeriesAction, SeriesPlan } from './plan-series.ts'

/** A series in the database, and the plan that it follows now. */
export type ChaosSeries = { id: number; plan: SeriesPlan; form: Omit<NewSeries, 'rule'>; startedAt: string }

const rulesOf = async (form: Omit<NewSeries, 'rule'>) => recipientRules(await readNumbersOf(null, form, 'VN'))

/** Does what a signed-in user does. */
const begin =
  (db: Pool, userId: number): Begin =>
  (work) =>
    db.begin(async (tx) => {
      const caller = await lockAuthor(tx, userId)
      if (!caller) throw new Error('The user is gone')
      return work(tx, caller)
    })

export async function addSeries(
  db: Pool,
  userId: number,
  { index, plan, instance, hasUniqueTexts }: AddOptions,
): Promise<ChaosSeries> {
  const { id: instanceId, imageId, addressBook } = instance
  const add = factories(db, secretsOf(SECRET_KEY))
  // With unique texts, the text of each job has its run, too: see SERIES_INSTRUMENTS.
  const textContent = hasUniqueTexts ? `series ${index}` : 'Hello'
  const message = { instanceId, textContent, imageId: plan.withImage ? imageId : null }
  const messageIds: number[] = []
  for (let n = 0; n < plan.messages; n++) messageIds.push((await add.message(message)).id)
  const chats = plan.recipients.map((recipient) => addressBook[plan.kind][recipient] ?? '')
  const groups = await db.many<{ id: number }>(sql`
    select id from groups where instance_id = ${instanceId} and chat_id = any(${chats})`)
  const form = {
    name: `Series ${index}`,
    instanceId,
    jobType: plan.kind === 'groups' ? ('SendToGroups' as const) : ('SendToUsers' as const),
    messageIds,
    groupIds: groups.map(({ id }) => id),
    phoneNumbers: plan.kind === 'people' ? chats.map((chat) => `+${chat.split('@')[0]}`).join('\n') : '',
    ...{ contactIds: [], groupSetIds: [], listIds: [], excludedListIds: [] },
    ...{ fallbacks: {}, leaveOutIncomplete: false, quietDays: [] },
    ...{ isFrozen: plan.isFrozen, quietPolicy: plan.quietPolicy, overlap: plan.overlap },
  }
  const { startedAt } = await db.one<{ startedAt: string }>(sql`select clock_now() as started_at`)
  const rule = await ruleOf(db, plan, startedAt)
  const parsed = NewSeries.parse({ ...form, rule })
  const { id } = await createSeries(begin(db, userId), await rulesOf(parsed), parsed)
  return { id, plan, form, startedAt }
}

type AddOptions = { index: number; plan: SeriesPlan; instance: ChaosInstance; hasUniqueTexts: boolean }

async function ruleOf(db: Db, { minutes, runLimit, timeZone }: SeriesPlan, startedAt: string) {
  const { startsOn, times } = await db.one<{ startsOn: string; times: string[] }>(sql`
    select to_char(wall, 'YYYY-MM-DD') as starts_on, array(
        select to_char(wall + minute * interval '1 minute', 'HH24:MI') from unnest(${minutes}::int[]) minute
      ) as times
    from (select ${startedAt}::timestamptz at time zone ${timeZone} as wall) start`)
  return { frequency: 'day', every: 1, times, startsOn, endsOn: null, runLimit, timeZone }
}

/** The part of a chaos run that is needed here. */
type Run = {
  db: Pool
  userId: number
  series: Map<number, ChaosSeries>
  environment: { toRealMs: (fastMs: number) => number }
  request: <T>(task: () => Promise<T>) => Promise<T | 'database is down'>
}

/** Does to a series what users and the clock do, but for changes of its jobs. Returns what came of it. */
export async function changeSeriesOf(
  run: Run,
  action: Exclude<SeriesAction, { kind: 'change job of run' }>,
): Promise<unknown> {
  const series = run.series.get(action.series)
  if (!series) return 'there is no such series'
  if (action.kind === 'jump past next run') return jump(run, series, action)
  return run.request(() => change(run, series, action).catch(codeOfRefusal))
}

function codeOfRefusal(error: unknown) {
  if (error instanceof Refusal) return `refused: ${error.code}`
  throw error
}

async function change(
  { db, userId }: Run,
  series: ChaosSeries,
  action: Exclude<SeriesAction, { kind: 'change job of run' | 'jump past next run' }>,
): Promise<unknown> {
  const { id } = series
  const by = begin(db, userId)
  switch (action.kind) {
    case 'pause series':
      return (await pauseSeries(by, id)).state
    case 'resume series':
      return (await resumeSeries(by, id)).state
    case 'edit series': {
      const plan = { ...series.plan, ...action.edit }
      const { isFrozen, quietPolicy, overlap } = plan
      const rule = await ruleOf(db, plan, series.startedAt)
      const { version } = await db.one<{ version: number }>(sql`select version from series where id = ${id}`)
      const form = NewSeries.parse({ ...series.form, isFrozen, quietPolicy, overlap, rule })
      const after = await changeSeries(by, await rulesOf(form), id, { ...form, version })
      series.plan = plan
      return `version ${after.version}`
    }
    case 'skip next run': {
      const next = await nextRun(db, id)
      return next ? (await skipRun(by, id, next.id)).state : NONE_TO_COME
    }
    case 'move next run': {
      const next = await nextRun(db, id)
      if (!next) return NONE_TO_COME
      const { at } = await db.one<{ at: string }>(sql`
        select clock_now() + make_interval(secs => ${action.toSeconds}) as at`)
      return (await moveRun(by, id, next.id, at)).dueAt
    }
  }
}

const NONE_TO_COME = 'no run is to come'

const nextRun = (db: Db, seriesId: number) =>
  db.maybeOne<{ id: number; seconds: number }>(sql`
    select id, extract(epoch from due_at - clock_now())::float8 as seconds from series_runs
    where series_id = ${seriesId} and state = 'planned' order by due_at, id limit 1`)

/** A jump that finds no moment without a send is left out after this time. */
const JUMP_WITHIN_MS = 500

async function jump(
  { db, environment }: Run,
  { id }: ChaosSeries,
  { seconds, backSeconds, lossAfterMs }: Extract<SeriesAction, { kind: 'jump past next run' }>,
): Promise<string> {
  const next = await retryWhileDown(() => nextRun(db, id))
  if (!next) return NONE_TO_COME
  const giveUpAt = performance.now() + JUMP_WITHIN_MS
  const by = next.seconds + seconds
  if (by <= 0) return 'the run is due'
  while (!(await retryWhileDown(() => shiftIdleClock(db, by)))) {
    if (performance.now() > giveUpAt) return 'something was being sent'
    await delay(10)
  }
  await delay(environment.toRealMs(lossAfterMs))
  const isBack = backSeconds > 0 && (await retryWhileDown(() => shiftIdleClock(db, -backSeconds)))
  return `skips ${by} s${isBack ? ', and back' : ''}`
}
