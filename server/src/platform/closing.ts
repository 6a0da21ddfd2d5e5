import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** After that many refusals HAProxy and Kubernetes, by default, send no more requests. */
const REFUSALS = 3
/** HAProxy's default takes 6 s for that. Fastify lets a hook take 10 s. */
const LONGEST_DEPARTURE_MS = 8_000
/** Longer than the intervals at which load balancers ask. */
const WATCHED_MS = 30_000

export type Departure = {
  /** Whether new requests are welcome. Call it for each load balancer that asks. */
  isWelcoming: () => boolean
}

/**
 * At the beginning of a stop, keeps the port open until load balancers know of it. All requests are still served. If no
 * load balancer has asked lately, the port closes at once.
 */
export function announceDeparture(app: FastifyInstance): Departure {
  const { promise: announced, resolve } = Promise.withResolvers<void>()
  let askedAt = Number.NEGATIVE_INFINITY
  let isLeaving = false
  let refusals = 0
  app.addHook('preClose', async () => {
    isLeaving = true
    const isWatched = app.server.listening && performance.now() - askedAt < WATCHED_MS
    if (isWatched) await Promise.race([announced, delay(LONGEST_DEPARTURE_MS)])
  })
  // Otherwise a connection whose request was running when the port closed would stay open for 72 s.
  app.addHook('onSend', async (_request, reply) => {
    if (isLeaving) reply.header('connection', 'close')
  })
  return {
    isWelcoming() {
      askedAt = performance.now()
      if (isLeaving && ++refusals === REFUSALS) resolve()
      return !isLeaving
    },
  }
}

/** The slowest request is a delete that waits for messages in flight. It is answered within this time. */
const LAST_ANSWERS_MS = 25_000

/** Closes the connections of stalled clients during a stop, which would otherwise wait for them for ever. */
export function cutOffStragglers(app: FastifyInstance, afterMs = LAST_ANSWERS_MS): void {
  app.addHook('preClose', async () => {
    setTimeout(() => app.server.closeAllConnections(), afterMs).unref()
  })
}
