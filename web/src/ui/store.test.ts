import { expect, test, vi } from 'vitest'
import { createStore } from './store.ts'

test('listeners are notified of each change until they unsubscribe', () => {
  const store = createStore(1)
  const listener = vi.fn()
  const unsubscribe = store.subscribe(listener)
  store.set(2)
  store.set(2)
  expect(store.get()).toBe(2)
  expect(listener).toHaveBeenCalledOnce()

  unsubscribe()
  store.set(3)
  expect(listener).toHaveBeenCalledOnce()
})
