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
