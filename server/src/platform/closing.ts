import type { FastifyInstance } from 'fastify'

/** The slowest request is a delete that waits for messages in flight. It is answered within this time. */
const LAST_ANSWERS_MS = 25_000

/** Closes the connections of stalled clients during a stop, which would otherwise wait for them for ever. */
export function cutOffStragglers(app: FastifyInstance, afterMs = LAST_ANSWERS_MS): void {
  app.addHook('preClose', async () => {
    setTimeout(() => app.server.closeAllConnections(), afterMs).unref()
  })
}
