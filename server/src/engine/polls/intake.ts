import type { Pool } from '../../platform/database/connection.ts'
import type { PollResults } from '../../providers/provider.ts'
import { callsUpTo, limitWaiting, openGroupCommit } from '../shared/group-commit.ts'
import { openProgress } from '../status/progress.ts'
import { type InstanceResults, storeResults } from './store.ts'

/** More results in one statement would only let the first call wait longer. */
const MAX_BATCH = 500
const MAX_WAITING = 2_000

export type VoteIntake = {
  /**
   * Stores the results of polls in one webhook call, and notifies open pages. Resolves when they are durable.
   *
   * @throws `Refusal` (`unavailable`) when too many results wait already, and any error of the database.
   */
  accept: (instanceId: number, votes: PollResults[]) => Promise<void>
  close: () => Promise<void>
}

/** Many calls share one statement, which writes each poll once: a flood of votes rewrites its row rarely. */
export function openVoteIntake(db: Pool, reportError: (error: unknown) => void): VoteIntake {
  const progress = openProgress(db, reportError)
  const { submit, close } = openGroupCommit<InstanceResults[], null>(db, {
    startBatch: callsUpTo(MAX_BATCH),
    async write(connection, calls) {
      for (const job of await storeResults(connection, calls.flat())) progress.moved(job)
      return calls.map(() => null)
    },
  })
  const whileFew = limitWaiting(MAX_WAITING)
  return {
    async accept(instanceId, votes) {
      await whileFew(votes.length, () => submit(votes.map((one) => ({ ...one, instanceId }))))
    },
    async close() {
      await close()
      await progress.stop()
    },
  }
}
