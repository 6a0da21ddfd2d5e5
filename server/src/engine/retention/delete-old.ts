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
import { contacts } from './contacts.ts'
import { groups } from './groups.ts'
import { deleteOldDeliveries, deleteOldLogs, deleteOldViews } from './job-rows.ts'
import { messages } from './messages.ts'
import { type Kind, lookForUnused } from './unused.ts'

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
/** Rows of these kinds go when nobody uses them. */
const kinds: Kind[] = [messages, groups, contacts]

const SLICE_ROWS = 1000
/** Looks of one run. A run comes every ten minutes, so all of a million rows were looked at within a day. */
const LOOKS = 10
/** After a slice we rest four times as long as the slice took. So sending keeps most of a slow database. */
const REST = 4

/**
 * Recurring work: deletes what is older than the Admins' settings in the table `retention`, what the engine has
 * remembered for long enough, and what nobody uses. Each slice is a transaction of a few milliseconds that waits for no
 * row. Returns how many rows were deleted. A repetition or a stop at any point does no harm.
 */
export async function deleteOldRows(db: Pool, signal: AbortSignal): Promise<number> {
  let total = 0
  for (const slice of slices)
    for (let deleted = 1; deleted > 0 && !signal.aborted; total += deleted)
      deleted = await thenRest(signal, () => db.begin((tx) => slice(tx, SLICE_ROWS)))
  for (const kind of kinds) total += await deleteUnused(db, kind, signal)
  await db.begin(addUpWithoutRows)
  return total
}

async function deleteUnused(db: Pool, kind: Kind, signal: AbortSignal): Promise<number> {
  let total = 0
  for (let looks = 0; looks < LOOKS && !signal.aborted; looks++) {
    const look = await thenRest(signal, () => db.begin((tx) => lookForUnused(tx, kind, SLICE_ROWS)))
    total += look.count
    if (look.isThrough) break
  }
  return total
}

async function thenRest<T>(signal: AbortSignal, slice: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const result = await slice()
  await delay((performance.now() - began) * REST, undefined, { signal }).catch(() => {})
  return result
}
