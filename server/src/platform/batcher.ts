export type Batcher<T> = {
  /** Adds an item to the batch. It replaces an earlier item with the same key. */
  add: (key: string, item: T) => void
  /** Flushes the last batch. Call `add` no more after this. */
  stop: () => Promise<void>
}

/**
 * Collects items and passes them to `onBatch` together: at once after a quiet time, otherwise `everyMs` after the last
 * batch ended. This bounds the number of batches, however fast items arrive. `onBatch` must not throw.
 */
export function batcher<T>(everyMs: number, onBatch: (items: T[]) => Promise<unknown> | unknown): Batcher<T> {
  const batch = new Map<string, T>()
  let timer: NodeJS.Timeout | null = null
  let flushing = Promise.resolve()
  let isStopped = false

  async function flush() {
    const items = [...batch.values()]
    batch.clear()
    if (items.length > 0) await onBatch(items)
  }

  function flushIn(ms: number) {
    timer = setTimeout(() => {
      if (batch.size === 0) {
        timer = null
        return
      }
      flushing = flush().then(() => {
        if (!isStopped) flushIn(everyMs)
      })
    }, ms)
  }

  return {
    add(key, item) {
      batch.set(key, item)
      if (!timer) flushIn(0)
    },
    async stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
      await flushing
      await flush()
    },
  }
}
