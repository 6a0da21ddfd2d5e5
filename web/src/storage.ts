/**
 * The browser’s storage. What that refuses, as with blocked cookies or when it is full, is in the memory of this tab
 * until its reload.
 */
export const storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> = openStorage()

function openStorage() {
  const browser = browserStorage()
  const kept = new Map<string, string>()
  // Another tab has written a newer value, or has removed all.
  window.addEventListener('storage', ({ key }) => (key === null ? kept.clear() : kept.delete(key)))

  function takes(key: string, value: string): boolean {
    try {
      browser?.setItem(key, value)
      return Boolean(browser)
    } catch {
      // Otherwise the former value would be back after a reload.
      browser?.removeItem(key)
      return false
    }
  }

  return {
    getItem: (key: string) => kept.get(key) ?? browser?.getItem(key) ?? null,
    setItem(key: string, value: string) {
      if (takes(key, value)) kept.delete(key)
      else kept.set(key, value)
    },
    removeItem(key: string) {
      kept.delete(key)
      browser?.removeItem(key)
    },
  }
}

function browserStorage() {
  try {
    return window.localStorage
  } catch {
    return null
  }
}
