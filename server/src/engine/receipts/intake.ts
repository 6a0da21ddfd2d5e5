import type { Pool } from '../../platform/database/connection.ts'
import { meter } from '../../platform/meter.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Receipt } from '../../providers/provider.ts'
import { callsUpTo, openGroupCommit } from '../shared/group-commit.ts'
import { type InstanceReceipt, storeBatch, withoutNul } from './store.ts'

/** More receipts in one row would only let the first call wait longer. */
const MAX_BATCH = 5_000
/**
 * So many receipts wait at most, some 20 MB. While the database is slow, further calls are refused: they come again.
 */
const MAX_WAITING = 50_000

export type ReceiptIntake = {
  /**
   * Stores the receipts of one call for a worker (apply-stored.ts). Resolves when they are durable.
   *
   * @throws `Refusal` (`unavailable`) when too many receipts wait already, and any error of the database.
   */
  accept: (instanceId: number, receipts: Receipt[]) => Promise<void>
  close: () => Promise<void>
}

/** Many calls share one statement, and a single call waits for nothing. The provider repeats calls that fail. */
export function openReceiptIntake(db: Pool): ReceiptIntake {
  const { submit, close } = openGroupCommit<InstanceReceipt[], null>(db, {
    startBatch: callsUpTo(MAX_BATCH),
    write,
  })
  let waiting = 0
  return {
    async accept(instanceId, receipts) {
      if (waiting + receipts.length > MAX_WAITING) throw new Refusal('unavailable', {}, 2)
      waiting += receipts.length
      await submit(receipts.map((one) => ({ ...withoutNul(one), instanceId }))).finally(() => {
        waiting -= receipts.length
      })
    },
    close,
  }
}

async function write(connection: Pool, calls: InstanceReceipt[][]) {
  const receipts = calls.flat()
  await storeBatch(connection, receipts)
  for (const { state } of receipts) meter.received(state)
  return calls.map(() => null)
}
