import type { Db, Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { ProviderFailure } from '../../providers/provider.ts'
import { type EngineDeps, resolveProvider } from '../context.ts'
import { KNOWN_BY_READING, KNOWN_BY_WEBHOOK, needsReading } from '../shared/incoming.ts'
import { underLock } from '../shared/lock.ts'
import { isRunning } from '../shared/pace.ts'
import { wakeWorkers } from '../wake.ts'
import { storeIncoming } from './store.ts'

/** Instances that are read at a time. */
const AT_ONCE = 10
/** A reading that fails, or whose worker dies, is repeated after this time. */
const REPEAT_MS = 60_000
/** Read once more, for a provider whose clock is wrong or which lists a message late. */
const MARGIN_MS = 600_000
/** A list is read no further back: an account that was away for longer begins anew. */
const MAX_BACK_MS = 30 * 24 * 60 * 60 * 1000

type Reading = {
  instanceId: number
  tokenCipher: Buffer
  isTest: boolean
  hasWebhook: boolean
  /** Null for an instance whose messages were never read. What was written before is nothing to us. */
  readUntil: string | null
  beganAt: string
  checkAt: string
  era: string
}

/** Recurring work: reads the incoming messages of instances that are about to write to people. Returns how many. */
export function openIncomingReader(deps: EngineDeps): (signal: AbortSignal) => Promise<number> {
  return async (signal) => {
    const due = await claimReadings(deps.db)
    const results = await Promise.allSettled(due.map((reading) => read(deps, reading, signal)))
    for (const result of results) if (result.status === 'rejected') throw result.reason
    return due.length
  }
}

const claimReadings = (db: Pool) =>
  db.many<Reading>(sql`
    with running as materialized (
      select j.instance_id, max(j.started_at) as started_at from jobs j
      where ${isRunning} and j.paused_at is null and j.job_type = 'SendToUsers'
      group by j.instance_id
    ), due as materialized (
      select i.id from running join instances i on i.id = running.instance_id
      where i.is_active and i.waiting is null and i.incoming_check_at <= clock_now()
        and ${needsReading('running.started_at')}
      order by i.incoming_check_at, i.next_due_at
      limit ${AT_ONCE}
      for no key update of i skip locked
    )
    update instances i set incoming_check_at = clock_now() + ${REPEAT_MS} * interval '1 ms'
    from due where i.id = due.id
    returning i.id as instance_id, i.token_cipher, i.is_test, i.webhook_base is not null or i.is_test as has_webhook,
      i.incoming_read_until as read_until, clock_now() as began_at, i.incoming_check_at::text as check_at,
      current_era() as era`)

async function read(deps: EngineDeps, reading: Reading, signal: AbortSignal): Promise<void> {
  const connection = resolveProvider(deps, reading)
  if (!connection) return
  try {
    const pages = connection.provider.incomingMessages(connection.credentials, fromOf(reading))
    if (reading.readUntil !== null)
      for await (const { messages, clockAheadMs } of pages) {
        if (signal.aborted) return
        const isGivingUp = () => signal.aborted
        await storeIncoming(deps.db, reading.instanceId, connection, messages, { clockAheadMs, isGivingUp })
      }
    const isRare = !reading.hasWebhook && (await connection.provider.isMetered(connection.credentials))
    if (await conclude(deps.db, reading, isRare, signal)) await wakeWorkers(deps.db)
  } catch (error) {
    // The list can't be read: jobs to people wait, and say so.
    if (!(error instanceof ProviderFailure)) throw error
  }
}

/** In unix seconds. */
function fromOf({ readUntil, beganAt }: Reading): number {
  const began = Date.parse(beganAt)
  const from = readUntil === null ? began : Math.min(Date.parse(readUntil), began) - MARGIN_MS
  return Math.floor(Math.max(from, began - MAX_BACK_MS) / 1000)
}

/**
 * Only in the era that the reading began in, and unless the account was away meanwhile. Where calls are counted, a
 * reading counts until the next job.
 */
const conclude = (db: Pool, reading: Reading, isRare: boolean, signal: AbortSignal): Promise<boolean> =>
  underLock(
    db,
    reading.instanceId,
    () => signal.aborted,
    async (tx: Db) => {
      const known = isRare
        ? sql`'infinity'::timestamptz`
        : sql`clock_now() + ${reading.hasWebhook ? KNOWN_BY_WEBHOOK : KNOWN_BY_READING}`
      const concluded = await tx.run(sql`
      update instances i
      set incoming_read_until = ${reading.beganAt}, incoming_era = ${reading.era}, incoming_until = ${known},
        incoming_check_at = 'epoch'
      where i.id = ${reading.instanceId} and i.incoming_check_at = ${reading.checkAt}::timestamptz
        and current_era() = ${reading.era}`)
      // The next era must not wait for a repetition of this reading.
      if (concluded === 0)
        await tx.run(sql`
          update instances i set incoming_check_at = 'epoch'
          where i.id = ${reading.instanceId} and i.incoming_check_at = ${reading.checkAt}::timestamptz`)
      return concluded > 0
    },
  )
