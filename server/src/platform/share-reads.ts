/**
 * Lets requests for the same key share a read. Those that come while one runs share the next one, which begins after
 * they came: so nobody gets what was read too early, and however many ask, one read runs at a time.
 */
export function shareReads<T>(read: (key: number) => Promise<T>): (key: number) => Promise<T> {
  const reads = new Map<number, { running: Promise<T>; next?: Promise<T> }>()

  function begin(key: number): Promise<T> {
    const entry = { running: read(key) }
    reads.set(key, entry)
    const end = () => {
      if (reads.get(key) === entry) reads.delete(key)
    }
    entry.running.then(end, end)
    return entry.running
  }

  return (key) => {
    const entry = reads.get(key)
    if (!entry) return begin(key)
    const beginNext = () => begin(key)
    entry.next ??= entry.running.then(beginNext, beginNext)
    return entry.next
  }
}
