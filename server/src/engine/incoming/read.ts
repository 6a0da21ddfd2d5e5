import type { Db, Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { type IncomingMessages, ProviderFailure } from '../../providers/provider.ts'
import { type EngineDeps, type ProviderConnection, resolveProvider } from '../context.ts'
import { orNullAtAbort } from '../shared/abort.ts'
import { hasBeat } from '../shared/era.ts'
import { KNOWN_BY_READING, KNOWN_BY_WEBHOOK, needsReading } from '../shared/incoming.ts'
import { lockInstances, underLock } from '../shared/lock.ts'
import { type Metering, openMetering } from '../shared/metered.ts'
import { isRunning } from '../shared/pace.ts'
import { wakeWorkers } from '../wake.ts'
import { saidOf } from './said.ts'
import { storeIncoming, storeSaid } from './store.ts'

/** A reading that fails, or whose worker dies, is repeated after this time. */
const REPEAT_MS = 60_000
/** Read once more, for a provider whose clock is wrong or which lists a message late. */
const MARGIN_MS = 600_000

type Reading = {
  instanceId: number
  tokenCipher: Buffer
  isTest: boolean
  hasWebhook: boolean
  readUntil: string
  beganAt: string
  /** This machine's clock just before that, in ms. */
  askedAt: number
  /** Identifies this reading: whoever makes the messages unknown again, or claims another one, changes it. */
  checkAt: string
  era: string
}

/**
 * Recurring work: reads the incoming messages of the instances that are about to write to people, one after the other.
 * Several runs at a time (recurring-work.ts) keep a slow provider of one instance from holding up others.
 */
export function openIncomingReader(deps: EngineDeps): (signal: AbortSignal) => Promise<void> {
  const { isMetered } = openMetering()
  return async (signal) => {
    while (!signal.aborted) {
      const askedAt = Date.now()
      const claimed = await claimReading(deps.db)
      if (!claimed) return
      await read(deps, { ...claimed, askedAt }, isMetered, signal)
    }
  }
}

const claimReading = (db: Pool) =>
  db.maybeOne<Omit<Reading, 'askedAt'>>(sql`
    with running as materialized (
      select j.instance_id, max(greatest(j.started_at, j.resumed_at)) as started_at from jobs j
      where ${isRunning} and j.paused_at is null and j.job_type = 'SendToUsers'
      group by j.instance_id
    ), due as materialized (
      select i.id from running join instances i on i.id = running.instance_id
      where i.is_active and i.waiting is null and i.incoming_check_at <= clock_now()
        and ${needsReading('running.started_at')} and ${hasBeat}
      order by i.incoming_check_at, i.next_due_at
      limit 1
      for no key update of i skip locked
    )
    update instances i set incoming_check_at = clock_now() + ${REPEAT_MS} * interval '1 ms'
    from due where i.id = due.id
    returning i.id as instance_id, i.token_cipher, i.is_test, i.webhook_base is not null or i.is_test as has_webhook,
      coalesce(i.incoming_read_until, clock_now()) as read_until, clock_now() as began_at,
      i.incoming_check_at::text as check_at, current_era() as era`)

async function read(
  deps: EngineDeps,
  reading: Reading,
  isMetered: Metering['isMetered'],
  signal: AbortSignal,
): Promise<void> {
  const connection = resolveProvider(deps, reading)
  if (!connection) return
  try {
    const pages = connection.provider.incomingMessages(connection.credentials, fromOf(reading))
    await storePages(deps.db, reading.instanceId, connection, pages[Symbol.asyncIterator](), signal)
    const isRare = await orNullAtAbort(isMetered(reading.instanceId, connection), signal)
    if (isRare === null) await release(deps.db, reading)
    else if (await conclude(deps.db, reading, isRare, signal)) await wakeWorkers(deps.db)
  } catch (error) {
    // The list can't be read: jobs to people wait, and say so.
    if (!(error instanceof ProviderFailure)) throw error
  }
}

/** In unix seconds. */
function fromOf({ readUntil, beganAt, askedAt }: Reading): number {
  const began = Date.parse(beganAt)
  const from = Math.min(Date.parse(readUntil), began) - MARGIN_MS
  // The database's clock may be wrong, and then the list would begin too late.
  const databaseAheadMs = began - askedAt
  return Math.floor((from - databaseAheadMs) / 1000)
}

/** A stop waits for no page: another worker reads the list anew. */
async function storePages(
  db: Pool,
  instanceId: number,
  connection: ProviderConnection,
  pages: AsyncIterator<IncomingMessages>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const page = await orNullAtAbort(pages.next(), signal)
    if (!page || page.done) return
    const { messages, clockAheadMs } = page.value
    const said = messages.map((message) => saidOf(instanceId, message, clockAheadMs))
    await storeIncoming((some) => storeSaid(db, some), connection, said)
  }
}

const release = (db: Db, { instanceId, checkAt }: Reading) =>
  db.run(sql`
    update instances set incoming_check_at = 'epoch'
    where incoming_check_at = ${checkAt}::timestamptz
      and id in (select i.id from instances i where i.id = ${instanceId} ${lockInstances('skip')})`)

/**
 * Only in the era that the reading began in, and unless the account was away meanwhile. Before its first beat, a
 * standby that was promoted has the former era still, and may lack what this reading has stored. Where calls are
 * counted, a reading counts until the next job, and with a webhook until the next time in which a message may have
 * passed unreported.
 */
const conclude = (db: Pool, reading: Reading, isRare: boolean, signal: AbortSignal): Promise<boolean> =>
  underLock(
    db,
    reading.instanceId,
    () => signal.aborted,
    async (tx) => {
      const known = isRare
        ? sql`'infinity'::timestamptz`
        : sql`clock_now() + ${reading.hasWebhook ? KNOWN_BY_WEBHOOK : KNOWN_BY_READING}`
      const concluded = await tx.run(sql`
        update instances i
        set incoming_read_until = ${reading.beganAt}, incoming_era = ${reading.era}, incoming_until = ${known},
          incoming_check_at = 'epoch'
        where i.id = ${reading.instanceId} and i.incoming_check_at = ${reading.checkAt}::timestamptz
          and current_era() = ${reading.era} and ${hasBeat}`)
      // The next era must not wait for a repetition of this reading.
      if (concluded === 0) await release(tx, reading)
      return concluded > 0
    },
  )
