import type { Pool } from '../../platform/database/connection.ts'
import type { IncomingMessage } from '../../providers/provider.ts'
import type { ProviderConnection } from '../context.ts'
import { callsUpTo, limitWaiting, openGroupCommit } from '../shared/group-commit.ts'
import { type Said, saidOf } from './said.ts'
import { storeIncoming, storeSaid } from './store.ts'

/** More messages in one transaction would only let the first call wait longer. */
const MAX_BATCH = 500
const MAX_WAITING = 10_000

export type IncomingIntake = {
  /**
   * Stores what the private messages of one call say. Resolves when that is durable. `connection` finds the numbers of
   * hidden senders.
   *
   * @throws `Refusal` (`unavailable`) when too many messages wait already, and any error of the database.
   */
  accept: (
    instanceId: number,
    connection: ProviderConnection | null,
    messages: readonly IncomingMessage[],
  ) => Promise<void>
  close: () => Promise<void>
}

/** Many calls share one transaction, and a single call waits for nothing. The provider repeats calls that fail. */
export function openIncomingIntake(db: Pool): IncomingIntake {
  const { submit, close } = openGroupCommit<Said[], Said[]>(db, { startBatch: callsUpTo(MAX_BATCH), write })
  const whileFew = limitWaiting(MAX_WAITING)
  return {
    async accept(instanceId, connection, messages) {
      await whileFew(messages.length, () => {
        const said = messages.map((message) => saidOf(instanceId, message))
        return storeIncoming(submit, connection, said)
      })
    },
    close,
  }
}

/** When a batch fails, each of its calls is written alone, so that one fails no other. */
async function write(connection: Pool, calls: Said[][]): Promise<(Said[] | Promise<Said[]>)[]> {
  try {
    const unknown = new Set((await storeSaid(connection, calls.flat())).map(keyOf))
    return calls.map((call) => call.filter((one) => unknown.has(keyOf(one))))
  } catch (error) {
    if (calls.length === 1) throw error
    const results: PromiseSettledResult<Said[]>[] = []
    for (const call of calls) results.push(...(await Promise.allSettled([storeSaid(connection, call)])))
    return results.map((result) =>
      result.status === 'fulfilled' ? result.value : Promise.reject(result.reason),
    )
  }
}

const keyOf = ({ instanceId, id }: Said) => `${instanceId} ${id}`
