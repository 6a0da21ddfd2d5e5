import type { Db, Pool } from '../../platform/database/connection.ts'
import { isDatabaseDown } from '../../platform/database/errors.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Receipt } from '../../providers/provider.ts'
import { type JobRef, openProgress } from '../status/progress.ts'
import { applyReceipts } from './apply.ts'
import { type InstanceReceipt, storeReceipts, withoutNul } from './store.ts'

/** More receipts in one transaction would only let the first call wait longer. */
const MAX_BATCH = 5_000
/** So many receipts wait at most, some 20 MB. While the database is slow, further calls are refused: they come again. */
const MAX_WAITING = 50_000

export type ReceiptIntake = {
  /**
   * Applies the receipts of one call; those that can't be applied now are stored for a worker. Resolves when the changes
   * are durable.
   *
   * @throws `Refusal` (`unavailable`) when too many receipts wait already, and any error of the database.
   */
  accept: (instanceId: number, receipts: Receipt[]) => Promise<void>
  close: () => Promise<void>
}

type Call = { receipts: InstanceReceipt[]; resolve: () => void; reject: (error: unknown) => void }

/**
 * Many calls share one transaction: those that come while one is running are written together in the next one. There is
 * no timer, so a single call waits for nothing. `reportError` gets the errors of telling open pages about progress.
 */
export function openReceiptIntake(db: Pool, reportError: (error: unknown) => void): ReceiptIntake {
  // Its own connection, so that receipts and requests do not wait for each other.
  const connection = db.dedicated()
  const progress = openProgress(db, reportError)
  const queue: Call[] = []
  let waiting = 0
  let writing: Promise<void> | null = null

  async function writeQueue() {
    while (queue.length > 0) await writeBatch(takeBatch(queue))
    writing = null
  }

  async function writeBatch(batch: Call[]) {
    try {
      await write(batch)
      for (const call of batch) call.resolve()
    } catch (error) {
      // One call may spoil the others. A lost database fails them all at once, and the provider repeats them.
      if (batch.length > 1 && !isDatabaseDown(error)) for (const call of batch) await writeBatch([call])
      else for (const call of batch) call.reject(error)
    }
  }

  async function write(batch: Call[]) {
    const receipts = batch.flatMap((call) => call.receipts)
    const jobs = await connection.begin((tx) => applyOrStore(tx, receipts))
    jobs.forEach(progress.moved)
  }

  return {
    async accept(instanceId, receipts) {
      if (waiting + receipts.length > MAX_WAITING) throw new Refusal('unavailable', {}, 2)
      waiting += receipts.length
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      queue.push({ receipts: receipts.map((one) => ({ ...withoutNul(one), instanceId })), resolve, reject })
      writing ??= Promise.resolve().then(writeQueue)
      await promise.finally(() => {
        waiting -= receipts.length
      })
    },
    async close() {
      await writing
      await progress.stop()
      await connection.end(1000)
    },
  }
}

/** The oldest calls, up to the size of a batch. */
function takeBatch(queue: Call[]): Call[] {
  const batch = queue.splice(0, 1)
  let size = batch[0]?.receipts.length ?? 0
  for (let next = queue[0]; next && size + next.receipts.length <= MAX_BATCH; next = queue[0]) {
    batch.push(next)
    queue.shift()
    size += next.receipts.length
  }
  return batch
}

async function applyOrStore(tx: Db, receipts: InstanceReceipt[]): Promise<JobRef[]> {
  const incoming = receipts.map((receipt) => ({ ...receipt, receivedAt: null }))
  const { jobs, left, needsLock } = await applyReceipts(tx, incoming)
  await storeReceipts(tx, [...left, ...needsLock.map(({ receipt }) => receipt)])
  return jobs
}
