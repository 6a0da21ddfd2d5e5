import { LOCKS, tryLock } from '../../platform/database/advisory-lock.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { ProviderFailure } from '../../providers/provider.ts'
import { type EngineDeps, resolveProvider } from '../context.ts'
import { stoppedByFailures } from '../shared/instance-change.ts'
import { openMetering } from '../shared/metered.ts'
import { notifyMoved } from '../status/progress.ts'
import { storeResults } from './store.ts'

/*
 * Votes reach us by the webhook, in no order and not after an outage of ours. So while somebody looks at the page of a
 * poll, its newest messages are asked for: a few of an account at a time, however many look at however many of its
 * polls, because a provider may count the calls.
 */

const AT_ONCE = 5
const BETWEEN = '10 seconds'
/** Older messages of the same job keep what the webhook told. */
const NEWEST = 1000

type Claimed = {
  instanceId: number
  tokenCipher: Buffer
  isTest: boolean
  providerMessageId: string
  askedAt: string
}

/**
 * Takes the messages of a job that have waited longest. Each is asked for once an hour, and once a minute without a
 * webhook or when votes have come since: those may have come in the wrong order. Takes nothing while other messages of
 * the account were asked for a moment ago, or while the account can't be asked.
 */
const claim = (db: Pool, { id: jobId, instanceId }: Job) =>
  db.begin(async (tx) => {
    // Another server is taking some.
    if (!(await tryLock(tx, LOCKS.pollsOf(instanceId)))) return []
    return takeDue(tx, jobId)
  })

const takeDue = (tx: Db, jobId: number) =>
  tx.many<Claimed>(sql`
    with newest as materialized (
      select d.id, d.provider_message_id from deliveries d
      where d.job_id >= ${jobId} and d.status = 'sent' and d.provider_message_id is not null and (d.job_id, d.id)
        < (${jobId}, (select coalesce(nullif(j.cursor, 0), 9e18::bigint) from jobs j where j.id = ${jobId}))
      order by d.job_id desc, d.id desc limit ${NEWEST}
    ), state as materialized (
      select i.id as instance_id, n.id, n.provider_message_id, r.asked_at,
        case when r.updated_at > r.asked_at or i.webhook_base is null and not i.is_test then interval '1 minute'
          else interval '1 hour' end as pause
      from jobs j join instances i on i.id = j.instance_id cross join newest n
        left join poll_results r on (r.instance_id, r.provider_message_id) = (i.id, n.provider_message_id)
      where j.id = ${jobId} and i.is_active and (i.waiting is null or ${stoppedByFailures('i')})
        and not exists (
          select from poll_results r where r.instance_id = i.id and r.asked_at > clock_now() - ${BETWEEN}::interval)
    ), due as materialized (
      select s.instance_id, s.provider_message_id, d.id, s.pause from state s join deliveries d on d.id = s.id
      where coalesce(s.asked_at < clock_now() - s.pause, true)
      order by s.asked_at nulls first, d.id desc limit ${AT_ONCE}
      for key share of d skip locked
    ), asked as (
      insert into poll_results as r (instance_id, provider_message_id, delivery_id, asked_at)
      select instance_id, provider_message_id, id, clock_now() from due order by 1, 2
      on conflict (instance_id, provider_message_id) do update
      set asked_at = excluded.asked_at, delivery_id = excluded.delivery_id
      returning r.instance_id, r.provider_message_id, r.asked_at
    )
    select a.instance_id, i.token_cipher, i.is_test, a.provider_message_id, a.asked_at
    from asked a join instances i on i.id = a.instance_id`)

type Job = { id: number; instanceId: number }

type PollReader = {
  /** Asks for results of a job's poll, if that is due. Returns at once; open pages are notified of an answer. */
  read: (job: Job) => void
  /** Waits for the answers that are still to come. */
  stop: () => Promise<void>
}

type Deps = Pick<EngineDeps, 'providers' | 'secrets' | 'log'> & { db: Pool }

/** An account on a trial is not asked: the calls that are left are for sending. */
export function openPollReader(deps: Deps): PollReader {
  const { isMetered } = openMetering()
  /** By account. */
  const running = new Map<number, Promise<void>>()

  async function ask(jobId: number, { providerMessageId, askedAt, ...instance }: Claimed) {
    const connection = resolveProvider(deps, instance)
    if (!connection || (await isMetered(instance.instanceId, connection))) return
    const results = await connection.provider.pollResults(connection.credentials, providerMessageId)
    if (!results) return
    const { instanceId } = instance
    await storeResults(deps.db, [{ ...results, providerMessageId, instanceId }], askedAt)
    await notifyMoved(deps.db, [{ jobId, instanceId }])
  }

  async function readJob(job: Job) {
    const answers = (await claim(deps.db, job)).map((claimed) => ask(job.id, claimed))
    for (const answer of await Promise.allSettled(answers))
      if (answer.status === 'rejected' && !(answer.reason instanceof ProviderFailure)) throw answer.reason
  }

  return {
    read(job) {
      const { id: jobId, instanceId } = job
      if (running.has(instanceId)) return
      const reading = readJob(job)
        .catch((err) => deps.log.warn({ err, jobId }, 'Could not read the results of a poll'))
        .finally(() => running.delete(instanceId))
      running.set(instanceId, reading)
    },
    async stop() {
      await Promise.all(running.values())
    },
  }
}
