import type { FastifyInstance } from 'fastify'

/** What takes longest, a delete that waits for messages on their way, is answered by then. */
const LAST_ANSWERS_MS = 25_000

/** A client that stopped in the middle of its request, or no longer reads, would keep a stop waiting for ever. */
export function cutOffStragglers(app: FastifyInstance, afterMs = LAST_ANSWERS_MS): void {
  app.addHook('preClose', async () => {
    setTimeout(() => app.server.closeAllConnections(), afterMs).unref()
  })
}
