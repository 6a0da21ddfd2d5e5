import { setTimeout as delay } from 'node:timers/promises'
import { addUpWithoutRows } from '../../platform/count-fold.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { deleteOldDecided, deleteOldStarts } from '../../platform/opt-outs.ts'
import { deleteOldRuns } from '../../platform/series.ts'
import { deleteForeignResults } from '../polls/store.ts'
import { deleteOldSetAside } from '../receipts/unusable-receipts.ts'
import { deleteOldUploads } from '../sending/upload.ts'
import { deleteReleasedMatches } from '../shared/matched-ids.ts'
import { deleteOldMentions, forgetMentioned } from '../shared/mentions.ts'
import { deleteOldPeople } from '../shared/private-pace.ts'
import { deleteOldDeliveries, deleteOldLogs, deleteOldViews } from './job-rows.ts'

/** Deletes at most so many rows in the transaction, and returns how many. */
type Slice = (tx: Db, limit: number) => Promise<number>

const slices: Slice[] = [
  deleteOldDeliveries,
  deleteOldLogs,
  deleteOldViews,
  deleteReleasedMatches,
  deleteOldSetAside,
  deleteOldDecided,
  deleteOldRuns,
  deleteOldStarts,
  deleteOldPeople,
  deleteOldUploads,
  forgetMentioned,
  deleteOldMentions,
  deleteForeignResults,
]
const SLICE_ROWS = 1000
/** After a slice we rest four times as long as the slice took. So sending keeps most of a slow database. */
const REST = 4

/**
 * Recurring work: deletes what is older than the Admins' settings in the table `retention`, and what the engine has
 * remembered for long enough. Each slice is a transaction of a few milliseconds that waits for no row. Returns how many
 * rows were deleted. A repetition or a stop at any point does no harm.
 */
export async function deleteOldRows(db: Pool, signal: AbortSignal): Promise<number> {
  let total = 0
  for (const slice of slices)
    for (let deleted = 1; deleted > 0 && !signal.aborted; total += deleted) {
      const began = performance.now()
      deleted = await db.begin((tx) => slice(tx, SLICE_ROWS))
      if (deleted > 0) await delay((performance.now() - began) * REST, undefined, { signal }).catch(() => {})
    }
  await db.begin(addUpWithoutRows)
  return total
}
