import { pipeline, type Readable, Transform } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A gigabit a second would keep the thread that answers all users busy. Half of it leaves them most of it. */
const BYTES_PER_SECOND = 50e6
const COLLECT_EVERY = 16 << 20
/** Shorter waits would cost more than they save. */
const MIN_WAIT_MS = 10

/** Counts the bytes of files that come or go, and waits until more may follow. */
export type Flow = (bytes: number) => Promise<void>

/** All who share a flow share its rate. */
export function openFlow(): Flow {
  let next = 0
  return async (bytes) => {
    collectAfter(bytes)
    const now = performance.now()
    next = Math.max(next, now) + (bytes / BYTES_PER_SECOND) * 1000
    if (next - now > MIN_WAIT_MS) await delay(next - now)
  }
}

/**
 * The same stream at the rate of the flow. It ends the given one with itself, also before the first read, and while the
 * given one has nothing to read, when a generator could not be ended.
 */
export function throughFlow(source: Readable, flow: Flow): Readable {
  const out = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      flow(bytes.length).then(() => done(null, bytes), done)
    },
  })
  // Errors reach whoever reads.
  return pipeline(source, out, () => {})
}

let uncollected = 0
let collect: (() => void) | undefined

/**
 * Collects the buffers of files that were read or written, each time they have 16 MB. They are garbage at once, but V8
 * counts only their small heads, and lets 150 MB wait. To collect young objects takes a millisecond.
 */
export function collectAfter(bytes: number): void {
  uncollected += bytes
  if (uncollected < COLLECT_EVERY) return
  uncollected = 0
  collect ??= exposeCollector()
  collect()
}

function exposeCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const gc: NodeJS.GCFunction = runInNewContext('gc')
  return () => void gc({ type: 'minor' })
}
