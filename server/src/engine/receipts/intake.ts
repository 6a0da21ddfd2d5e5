import type { Pool } from '../../platform/database/connection.ts'
import { meter } from '../../platform/meter.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Receipt } from '../../providers/provider.ts'
import { type InstanceReceipt, storeBatch, withoutNul } from './store.ts'

/** More receipts in one row would only let the first call wait longer. */
const MAX_BATCH = 5_000
/**
 * So many receipts wait at most, some 20 MB. While the database is slow, further calls are refused: they come again.
 */
const MAX_WAITING = 50_000

export type ReceiptIntake = {
  /**
   * Stores the receipts of one call for a worker. Resolves when they are durable.
   *
   * @throws `Refusal` (`unavailable`) when too many receipts wait already, and any error of the database.
   */
  accept: (instanceId: number, receipts: Receipt[]) => Promise<void>
  close: () => Promise<void>
}

type Call = { receipts: InstanceReceipt[]; resolve: () => void; reject: (error: unknown) => void }

/**
 * Many calls share one statement: those that come while one is running are written together by the next one. There is
 * no timer, so a single call waits for nothing.
 */
export function openReceiptIntake(db: Pool): ReceiptIntake {
  // Its own connection, so that receipts and requests do not wait for each other.
  const connection = db.dedicated()
  const queue: Call[] = []
  let waiting = 0
  let writing: Promise<void> | null = null

  async function writeQueue() {
    while (queue.length > 0) await writeBatch(takeBatch(queue))
    writing = null
  }

  async function writeBatch(batch: Call[]) {
    try {
      const receipts = batch.flatMap((call) => call.receipts)
      await storeBatch(connection, receipts)
      for (const { state } of receipts) meter.received(state)
      for (const call of batch) call.resolve()
    } catch (error) {
      for (const call of batch) call.reject(error) // The provider repeats them.
    }
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
