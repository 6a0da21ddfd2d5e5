import type { FastifyBaseLogger } from 'fastify'

/** Closes something that was opened. */
export type Close = () => Promise<unknown>
/** Everything opened so far, closed in the opposite order. What stands in one entry is closed at the same time. */
export type Opened = Close[][]

type Log = Pick<FastifyBaseLogger, 'error'>

/**
 * The order of a stop: at once no new sends, while messages in flight finish, and load balancers learn of the stop
 * before the last requests end; then the syncs, then the database.
 *
 * It waits for the slowest of four: the engine (`Engine.stop`); the server, which stays open for up to 8 s and answers
 * for up to 25 s more (platform/closing.ts); the webhooks to receivers, 15 s; the recurring work, 10 s. Then come a
 * call that sets a webhook at the provider, 10 s; the syncs of groups, 10 s; the connections to the database, 10 s; and
 * the embedded PostgreSQL.
 */
export function stopOnSignal(opened: Opened, log: Log) {
  const stop = () => void close(opened, log).then(() => process.exit(0))
  // `once`, so that a second Ctrl-C ends a stop that takes too long.
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

export async function close(opened: Opened, log: Log) {
  const reportError = (error: unknown) => log.error({ err: error }, 'Could not shut down cleanly')
  for (let next = opened.pop(); next; next = opened.pop())
    await Promise.all(next.map((closeOne) => closeOne().catch(reportError)))
}
