import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addToast, currentToasts, removeToast } from './toasts.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.runAllTimers()
})

const shown = () => currentToasts().map(({ msg }) => msg)

//
test('a sixth toast replaces the oldest', () => {
  for (const msg of ['1', '2', '3', '4', '5', '6']) addToast({ msg })
  expect(shown()).toEqual(['2', '3', '4', '5', '6'])
})

//
test('a toast that says the same as another takes its place, for the whole timeout', () => {
  addToast({ msg: 'same', type: 'error' })
  addToast({ msg: 'same' })
  vi.advanceTimersByTime(3000)
  addToast({ msg: 'same', type: 'error' })
  expect(currentToasts().map(({ type }) => type)).toEqual(['default', 'error'])
  vi.advanceTimersByTime(3000)
  expect(currentToasts().map(({ type }) => type)).toEqual(['error'])
})

//
test('a toast disappears after its timeout, five seconds by default', () => {
  addToast({ msg: 'default' })
  addToast({ msg: 'short', timeout: 3000 })
  vi.advanceTimersByTime(3000)
  expect(shown()).toEqual(['default'])
  vi.advanceTimersByTime(2000)
  expect(shown()).toEqual([])
})

//
test('a toast can be closed', () => {
  addToast({ msg: 'one' })
  addToast({ title: 'two' })
  removeToast(currentToasts()[0]?.id ?? 0)
  expect(currentToasts()).toMatchObject([
    { title: 'two', theme: 'default', showClose: true, type: 'default', timeout: 5000 },
  ])
})

//
test('a toast with neither title nor message is an error', () => {
  expect(() => addToast({ type: 'success' })).toThrow()
})
