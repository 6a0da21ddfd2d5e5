import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchAvailability } from './availability.ts'
import { ConnectionError, isDatabaseDown } from './errors.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

function watch() {
  const log = { info: vi.fn(), warn: vi.fn() }
  let error: Error | null = null
  const check = vi.fn(async () => {
    if (error) throw error
  })
  const availability = watchAvailability({ check, log }, 5_000)
  const fail = (next: Error | null) => {
    error = next
  }
  return { availability, check, log, fail }
}

const rejection = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)

test('an outage is one line at its beginning and one at its end, and refuses callers meanwhile', async () => {
  const { availability, check, log, fail } = watch()
  await availability.refuseIfDown()
  const away = new ConnectionError('away')
  fail(away)
  availability.suspect()
  await vi.advanceTimersByTimeAsync(3_700)

  expect(check.mock.calls.length).toBeGreaterThan(3)
  expect(await rejection(availability.refuseIfDown())).toBe(away)
  fail(null)
  await vi.advanceTimersByTimeAsync(500)

  await availability.refuseIfDown()
  expect(log.warn.mock.calls).toEqual([[{ err: away }, 'The database is unavailable, waiting']])
  expect(log.info.mock.calls).toEqual([[{ seconds: 4 }, 'The database is available again']])
  availability.stop()
})

test('an error of one connection is no outage if the check succeeds', async () => {
  const { availability, check, log } = watch()
  availability.suspect()
  availability.suspect()
  await vi.advanceTimersByTimeAsync(0)

  expect(check).toHaveBeenCalledTimes(1)
  await availability.refuseIfDown()
  expect(log.warn).not.toHaveBeenCalled()
  availability.stop()
})

test('an outage that breaks no connection is found by the regular check', async () => {
  const { availability, log, fail } = watch()
  availability.start()
  fail(new ConnectionError('accepts no writes'))
  await vi.advanceTimersByTimeAsync(4_999)
  expect(log.warn).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(log.warn).toHaveBeenCalledTimes(1)
  availability.stop()
})

test('during an outage refused callers cause no further checks', async () => {
  const { availability, check, fail } = watch()
  fail(new ConnectionError('away'))
  await rejection(availability.check())
  for (let caller = 0; caller < 100; caller++) {
    availability.suspect()
    await rejection(availability.check())
  }
  expect(check).toHaveBeenCalledTimes(1)
  availability.stop()
})

test('a database that refuses our password after the start is unavailable, too', async () => {
  const { availability, fail } = watch()
  fail(new Error('password authentication failed'))
  expect(isDatabaseDown(await rejection(availability.check()))).toBe(true)
  availability.stop()
})

test('after a stop nothing is checked or logged', async () => {
  const { availability, check, fail } = watch()
  availability.start()
  availability.stop()
  fail(new ConnectionError('away'))
  availability.suspect()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(check).not.toHaveBeenCalled()
})
