import { setImmediate } from 'node:timers/promises'
import type { Pool } from '../../platform/database/connection.ts'
import { Refusal } from '../../platform/refusal.ts'

type Options<T, R> = {
  /** Begins a batch. Returns whether it takes an item, asked of the oldest one first. Each batch takes the first. */
  startBatch: () => (item: T) => boolean
  /** Writes a batch in one transaction. Returns the result of each item, in their order. */
  write: (connection: Pool, items: T[]) => Promise<(R | Promise<R>)[]>
}

export type GroupCommit<T, R> = {
  /** Rejects with the error of `write`. */
  submit: (item: T) => Promise<R>
  /** Writes what waits and ends the connection. Nothing may be submitted any more. */
  close: () => Promise<void>
}

type Waiting<T, R> = {
  item: T
  resolve: (result: R | Promise<R>) => void
  reject: (error: unknown) => void
}

/** Batches of the oldest calls, up to so many entries together. A call with more is a batch of its own. */
export function callsUpTo(maxEntries: number) {
  return () => {
    let size = 0
    return ({ length }: readonly unknown[]) => {
      size += length
      return size <= maxEntries || size === length
    }
  }
}

/**
 * Lets so many entries wait at most, whatever the calls have. While the database is slow, further calls are refused:
 * they come again. A call that waits alone may have more, or it would be refused for ever.
 */
export function limitWaiting(maxEntries: number) {
  let waiting = 0
  return async <R>(count: number, submit: () => Promise<R>): Promise<R> => {
    if (waiting > 0 && waiting + count > maxEntries) throw new Refusal('unavailable', {}, 2)
    waiting += count
    try {
      return await submit()
    } finally {
      waiting -= count
    }
  }
}

/**
 * Lets items share a transaction: those that come while one is running are written together in the next one. There is
 * no timer: batches grow under load, and without load nothing waits.
 */
export function openGroupCommit<T, R>(db: Pool, { startBatch, write }: Options<T, R>): GroupCommit<T, R> {
  // Its own connection, so that a batch never waits for a free one of the pool.
  const connection = db.dedicated()
  let queue: Waiting<T, R>[] = []
  let writing: Promise<void> | null = null

  /** Writes one batch after another. A second one at the same time would only compete for the processor. */
  async function writeQueue() {
    // After everything that arrived in the same turn of the event loop.
    await setImmediate()
    while (queue.length > 0) await writeBatch(takeBatch())
    writing = null
  }

  function takeBatch() {
    const takes = startBatch()
    const { batch = [], rest = [] } = Object.groupBy(queue, ({ item }) => (takes(item) ? 'batch' : 'rest'))
    queue = rest
    return batch
  }

  /** Never rejects. */
  async function writeBatch(batch: Waiting<T, R>[]) {
    try {
      const items = batch.map(({ item }) => item)
      const results = await write(connection, items)
      for (const [nth, { resolve }] of batch.entries()) resolve(results[nth] as R | Promise<R>)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject })
        writing ??= writeQueue()
      }),
    async close() {
      await writing
      await connection.end(1000)
    },
  }
}
