import { setTimeout as delay } from 'node:timers/promises'

/** Rejects if the work takes longer than this. The work itself is not stopped. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const stopping = new AbortController()
  const late = delay(ms, undefined, { signal: stopping.signal, ref: false }).then(() => {
    throw new Error(`No answer within ${ms / 1000} seconds`)
  })
  return Promise.race([work, late]).finally(() => stopping.abort())
}
