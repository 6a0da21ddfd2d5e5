/** The browser’s storage. Where that is refused, as with blocked cookies, the memory of this tab until its reload. */
export const storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> = openStorage()

function openStorage() {
  try {
    if (window.localStorage) return window.localStorage
  } catch {}
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  }
}
