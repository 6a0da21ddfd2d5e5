export type Gatherer<T> = {
  /** Of two with one key the later stays. */
  add: (key: string, thing: T) => void
  /** Hands over what is left. Nothing may be added afterwards. */
  stop: () => Promise<void>
}

/**
 * Gathers things and hands them over together: at once after a quiet time, else `everyMs` after the last were
 * taken. However fast they come, the work of whoever takes them stays the same. `handOver` must not throw.
 */
export function gatherer<T>(
  everyMs: number,
  handOver: (things: T[]) => Promise<unknown> | unknown,
): Gatherer<T> {
  const gathered = new Map<string, T>()
  let timer: NodeJS.Timeout | null = null
  let handing = Promise.resolve()
  let isStopped = false

  async function flush() {
    const things = [...gathered.values()]
    gathered.clear()
    if (things.length > 0) await handOver(things)
  }

  function flushIn(ms: number) {
    timer = setTimeout(() => {
      if (gathered.size === 0) {
        timer = null
        return
      }
      handing = flush().then(() => {
        if (!isStopped) flushIn(everyMs)
      })
    }, ms)
  }

  return {
    add(key, thing) {
      gathered.set(key, thing)
      if (!timer) flushIn(0)
    },
    async stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
      await handing
      await flush()
    },
  }
}
