import { setImmediate } from 'node:timers/promises'
import { ConnectionError, isDatabaseDown } from './errors.ts'

export type AvailabilityLog = Record<'info' | 'warn', (details: object, sentence: string) => void>

/** A failover that cuts no connection, or a network that swallows everything, is noticed after this time. */
const CHECK_EVERY_MS = 5_000
/** The waits for the next attempt during an outage. A connection that broke at a bad moment costs one of the first. */
const FIRST_RETRY_MS = 50
const MAX_RETRY_MS = 500

export type Availability = {
  /** Begins the regular checks. No-op if they have begun. */
  start: () => void
  /** Rejects if the database is unavailable. Finds out now, unless that is known already. */
  check: () => Promise<void>
  /** Call it when a connection has failed. A check tells whether the database is unavailable. */
  suspect: () => void
  /** Rejects if the last check has failed, so that nobody waits for a database that is known to be away. */
  refuseIfDown: () => Promise<void>
  stop: () => void
}

/**
 * Knows whether the database can be written to. `check` finds out, and rejects if not. The log has one line when the
 * database becomes unavailable and one when it is available again.
 */
export function watchAvailability(
  { check, log }: { check: () => Promise<void>; log: AvailabilityLog },
  everyMs = CHECK_EVERY_MS,
): Availability {
  let down: { since: number; retryMs: number; error: Error } | null = null
  let checking: Promise<void> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false

  async function run() {
    clearTimeout(timer)
    try {
      await check()
      if (down && !isStopped)
        log.info(
          { seconds: Math.round((performance.now() - down.since) / 1000) },
          'The database is available again',
        )
      down = null
    } catch (error) {
      const cause = asUnavailable(error)
      if (!down && !isStopped) log.warn({ err: error }, 'The database is unavailable, waiting')
      down = {
        since: down?.since ?? performance.now(),
        retryMs: Math.min(MAX_RETRY_MS, down ? down.retryMs * 2 : FIRST_RETRY_MS),
        error: cause,
      }
      throw cause
    } finally {
      checking = null
      if (!isStopped) checkIn(down?.retryMs ?? everyMs)
    }
  }

  const checkOnce = () => (checking ??= run())
  function checkIn(ms: number) {
    timer = setTimeout(() => checkOnce().catch(() => {}), ms).unref()
  }

  async function refuseIfDown() {
    if (!down) return
    const { error } = down
    // In a later turn: callers that try again at once must not keep the check from running.
    await setImmediate()
    throw error
  }

  return {
    start: () => {
      if (!isStopped && timer === undefined) checkIn(everyMs)
    },
    check: async () => {
      await refuseIfDown()
      await checkOnce()
    },
    suspect: () => {
      if (!isStopped && !down) checkOnce().catch(() => {})
    },
    refuseIfDown,
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** A database that refuses our password, or is gone, is as unavailable as one that does not answer. */
function asUnavailable(error: unknown): Error {
  if (error instanceof Error && isDatabaseDown(error)) return error
  return new ConnectionError(error instanceof Error ? error.message : String(error), { cause: error })
}
