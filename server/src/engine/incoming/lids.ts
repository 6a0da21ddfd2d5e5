import type { Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { ProviderFailure } from '../../providers/provider.ts'
import { type EngineDeps, resolveProvider } from '../context.ts'
import { type Metering, openMetering } from '../shared/metered.ts'
import { isRunning } from '../shared/pace.ts'
import { learnLids } from './senders.ts'

/*
 * A person who hides the number may answer under a LID that no provider resolves afterwards. So the LIDs of a job's
 * recipients are read while it sends, or right after. The progress is only in memory: another worker, or a restart,
 * asks about the numbers whose LIDs are not known yet.
 */

/** Recipients of a job at a time: as many as the provider takes in a call, so that a stop waits for one call. */
const PAGE = 100
const JOBS_AT_ONCE = 5
/** Caps the query. Further jobs follow as these end. */
const MAX_JOBS = 1_000
/** After a failed call. */
const REPEAT_MS = 60_000

type Job = { jobId: number; instanceId: number; tokenCipher: Buffer; isTest: boolean }
/** `upTo` is the last chat that was asked about. Null when all were. */
type Progress = { upTo: string | null; notBefore: number }

/** Recurring work: reads the LIDs of the recipients of running jobs. Returns how many jobs had some to read. */
export function openLidReader(deps: EngineDeps): (signal: AbortSignal) => Promise<number> {
  const progress = new Map<number, Progress>()
  const { isMetered } = openMetering()
  return async () => {
    const jobs = await jobsThatSend(deps.db)
    const ids = new Set(jobs.map(({ jobId }) => jobId))
    for (const jobId of progress.keys()) if (!ids.has(jobId)) progress.delete(jobId)
    const due = jobs.filter(({ jobId }) => {
      const { upTo, notBefore } = progress.get(jobId) ?? atStart
      return upTo !== null && notBefore <= performance.now()
    })
    const some = due.slice(0, JOBS_AT_ONCE)
    await Promise.all(
      some.map(async (job) =>
        progress.set(job.jobId, await readPage(deps, job, isMetered, progress.get(job.jobId))),
      ),
    )
    return some.length
  }
}

const atStart: Progress = { upTo: '', notBefore: 0 }
const done: Progress = { upTo: null, notBefore: 0 }

/** A short job ends before anything is read, so those that have just ended count, too. */
const jobsThatSend = (db: Pool) =>
  db.many<Job>(sql`
    with sending as (
      select j.id, j.instance_id from jobs j
      where ${isRunning} and j.paused_at is null and j.job_type = 'SendToUsers'
      union all
      select j.id, j.instance_id from jobs j
      where j.has_deliveries and j.completed_at > clock_now() - interval '1 minute' and j.job_type = 'SendToUsers'
    )
    select sending.id as job_id, i.id as instance_id, i.token_cipher, i.is_test
    from sending join instances i on i.id = sending.instance_id
    where i.is_active and i.waiting is null
    order by sending.id
    limit ${MAX_JOBS}`)

/** Reads on from the chat that was the last. On a trial, where each call counts, nothing is read. */
async function readPage(
  deps: EngineDeps,
  job: Job,
  isMetered: Metering['isMetered'],
  { upTo } = atStart,
): Promise<Progress> {
  const connection = resolveProvider(deps, job)
  if (!connection) return { upTo, notBefore: performance.now() + REPEAT_MS }
  const { provider, credentials } = connection
  try {
    if (await isMetered(job.instanceId, connection)) return done
    const page = await pageAfter(deps.db, job, upTo ?? '')
    const unknown = page.flatMap(({ phone, isKnown }) => (isKnown ? [] : phone))
    const lids =
      unknown.length === 0 ? new Map<string, string>() : await provider.lidsOf(credentials, unknown)
    const learned = [...lids].map(([phone, lid]) => ({ phone, lid, isTest: job.isTest }))
    await deps.db.begin((tx) => learnLids(tx, learned))
    return page.length < PAGE ? done : { upTo: page.at(-1)?.chatId ?? null, notBefore: 0 }
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    const isInVain = error.kind === 'refused' || error.kind === 'not_found'
    return isInVain ? done : { upTo, notBefore: performance.now() + REPEAT_MS }
  }
}

const pageAfter = (db: Pool, { jobId, isTest }: Job, upTo: string) =>
  db.many<{ chatId: string; phone: string; isKnown: boolean }>(sql`
    select d.chat_id, d.phone, 
      exists (select from known_lids k where k.phone = d.phone and (${isTest} or not k.is_test)) as is_known
    from (
      select chat_id, split_part(chat_id, '@', 1) as phone from deliveries
      where job_id = ${jobId} and chat_id > ${upTo}
      order by chat_id limit ${PAGE}
    ) d`)
