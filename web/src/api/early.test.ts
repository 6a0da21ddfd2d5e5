import { beforeEach, expect, test, vi } from 'vitest'
import { admin } from '../../test/render.tsx'
import { call } from './client.ts'
import { askEarly, takeEarly, takeEarlyData } from './early.ts'
import { startSession } from './session.ts'

const fetched = vi.fn(async (_url: string) => Response.json({ notices: [] }))

beforeEach(() => {
  fetched.mockClear()
  vi.stubGlobal('fetch', fetched)
  startSession({ token: 'first', user: admin })
})

test('a call takes the early answer once', async () => {
  askEarly(['/api/notices'])
  await call('GET /notices', {})
  expect(fetched).toHaveBeenCalledTimes(1)
  await call('GET /notices', {})
  expect(fetched).toHaveBeenCalledTimes(2)
})

test('nobody gets the early answer of another session', async () => {
  askEarly(['/api/notices'])
  startSession({ token: 'second', user: admin })
  await call('GET /notices', {})
  expect(fetched).toHaveBeenCalledTimes(2)
})

test('an early answer that nobody takes is read, so that its connection is free', async () => {
  const { promise: isRead, resolve } = Promise.withResolvers<void>()
  const pull = (to: ReadableStreamDefaultController) => {
    to.close()
    resolve()
  }
  const body = new ReadableStream({ pull }, { highWaterMark: 0 })
  fetched.mockResolvedValueOnce(new Response(body))
  askEarly(['/api/notices'])
  await isRead
})

// R-2179
test('an early answer that nobody has read for ten seconds is asked for again', () => {
  vi.useFakeTimers()
  askEarly(['/api/notices', '/api/auth/me'])
  vi.advanceTimersByTime(9999)
  expect(takeEarly('/api/auth/me')).toBeDefined()
  vi.advanceTimersByTime(1)
  expect(takeEarly('/api/notices')).toBeUndefined()
  vi.useRealTimers()
})

const notices = { notices: [] }

// R-2200
test('the data of an early answer are there once they have arrived, and once only', async () => {
  askEarly(['/api/notices'])
  expect(takeEarlyData('/api/notices')).toBeUndefined()
  await vi.waitFor(() => expect(takeEarlyData('/api/notices')).toEqual(notices))
  expect(takeEarlyData('/api/notices')).toBeUndefined()
  expect(takeEarly('/api/notices')).toBeUndefined()
})

// R-2200
test('a refusal is no data: the page asks and shows it', async () => {
  const refused = Response.json({ code: 'internal' }, { status: 500 })
  const { promise: isRead, resolve } = Promise.withResolvers<void>()
  const clone = refused.clone()
  vi.spyOn(clone, 'json').mockImplementation(async () => resolve())
  vi.spyOn(refused, 'clone').mockReturnValue(clone)
  fetched.mockResolvedValueOnce(refused)
  askEarly(['/api/notices'])
  await isRead
  expect(takeEarlyData('/api/notices')).toBeUndefined()
  expect((await takeEarly('/api/notices'))?.status).toBe(500)
})

// R-2200
test('nobody gets the early data of another session', async () => {
  askEarly(['/api/notices', '/api/auth/me'])
  await vi.waitFor(() => expect(takeEarlyData('/api/auth/me')).toEqual(notices))
  startSession({ token: 'second', user: admin })
  expect(takeEarlyData('/api/notices')).toBeUndefined()
})
