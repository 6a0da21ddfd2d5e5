import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.restoreAllMocks())

// R-2176
test.each([
  [
    'refused',
    vi.fn(() => {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    }),
  ],
  ['missing', () => null],
])('a storage that is %s is the memory of the tab', async (_, get) => {
  vi.resetModules()
  vi.spyOn(window, 'localStorage', 'get').mockImplementation(get as never)
  const { storage } = await import('./storage.ts')
  storage.setItem('token', 'a-token')
  expect(storage.getItem('token')).toBe('a-token')
  storage.removeItem('token')
  expect(storage.getItem('token')).toBeNull()
})

// R-2194
test('what a full storage refuses is in the memory of the tab, until it has room or another tab writes', async () => {
  vi.resetModules()
  const stored = new Map([['token', 'former']])
  let isFull = true
  const browser = {
    getItem: (key: string) => stored.get(key) ?? null,
    removeItem: (key: string) => stored.delete(key),
    setItem(key: string, value: string) {
      if (isFull) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
      stored.set(key, value)
    },
  }
  vi.spyOn(window, 'localStorage', 'get').mockReturnValue(browser as never)
  const { storage } = await import('./storage.ts')
  storage.setItem('token', 'a-token')
  expect([storage.getItem('token'), stored.get('token')]).toEqual(['a-token', undefined])

  isFull = false
  stored.set('token', 'of-another-tab')
  window.dispatchEvent(new StorageEvent('storage', { key: 'token' }))
  expect(storage.getItem('token')).toBe('of-another-tab')
  storage.setItem('token', 'next')
  expect([storage.getItem('token'), stored.get('token')]).toEqual(['next', 'next'])

  isFull = true
  storage.setItem('token', 'last')
  window.dispatchEvent(new StorageEvent('storage', { key: null }))
  expect(storage.getItem('token')).toBeNull()

  isFull = false
  storage.setItem('token', 'another')
  storage.removeItem('token')
  expect(storage.getItem('token')).toBeNull()
})
