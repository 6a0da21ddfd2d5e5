import type { Pool } from '../../platform/database/connection.ts'
import { meter } from '../../platform/meter.ts'
import type { Receipt } from '../../providers/provider.ts'
import { callsUpTo, limitWaiting, openGroupCommit } from '../shared/group-commit.ts'
import { type InstanceReceipt, storeBatch, withoutNul } from './store.ts'

/** More receipts in one row would only let the first call wait longer. */
const MAX_BATCH = 5_000
/** Some 20 MB. */
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
  const whileFew = limitWaiting(MAX_WAITING)
  return {
    async accept(instanceId, receipts) {
      await whileFew(receipts.length, () =>
        submit(receipts.map((one) => ({ ...withoutNul(one), instanceId }))),
      )
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
