import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { isDatabaseDown } from './database/errors.ts'

export type RepeatLog = Pick<FastifyBaseLogger, 'warn'>

/**
 * Runs `work` now and again `everyMs` after each end, until the returned function is called, which waits for a running
 * one. A failure is logged with `sentence`. pg-boss starts recurring jobs only once a minute. Every process runs `work`, so it must tolerate others.
 */
export function repeat(
  everyMs: number,
  work: () => Promise<unknown>,
  log: RepeatLog,
  sentence: string,
): () => Promise<void> {
  const stopping = new AbortController()
  async function run() {
    while (!stopping.signal.aborted) {
      await work().catch((error) => {
        // The pool logs once that the database is unavailable.
        if (!isDatabaseDown(error)) log.warn({ err: error }, sentence)
      })
      await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const running = run()
  return () => {
    stopping.abort()
    return running
  }
}
