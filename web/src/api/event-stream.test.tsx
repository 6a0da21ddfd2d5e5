import type { InstanceRow } from '@sendroom/contract/instances'
import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakeStream } from '../../test/fake-stream.ts'
import { instance } from '../../test/instance.ts'
import { renderApp } from '../../test/render.tsx'
import { pageOf, refuse } from '../../test/server.ts'
import { currentToasts } from '../ui/toasts.ts'

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  // The longest jitter.
  vi.spyOn(Math, 'random').mockReturnValue(1)
})
afterEach(() => {
  setVisibility('visible')
})

const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

function setVisibility(visibility: 'visible' | 'hidden') {
  Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))
}

/** Opens the list of instances. The test controls the streams of the server. */
async function open(row: Partial<InstanceRow> = {}) {
  const streams: FakeStream[] = []
  const server = { row: { ...instance, ...row }, refusal: null as ReturnType<typeof refuse> | null }
  const app = renderApp({
    path: '/instances',
    answers: {
      'GET /instances': () => pageOf([server.row]),
      'GET /events': () => {
        if (server.refusal) return server.refusal
        const stream = new FakeStream()
        streams.push(stream)
        return stream.response
      },
    },
  })
  await screen.findByText('Shop')
  await waitFor(() => expect(streams).toHaveLength(1))
  const reads = () => app.requests.filter(({ name }) => name === 'GET /instances').length
  const connections = () => app.requests.filter(({ name }) => name === 'GET /events').length
  return { ...app, server, streams, reads, connections }
}

/** Opens the list and waits for the refresh that follows the connection. */
async function openConnected(row: Partial<InstanceRow> = {}) {
  const connected = await open(row)
  await advance(3000)
  // A busy machine may deliver the stream's first chunk later than that.
  await waitFor(() => expect(connected.reads()).toBeGreaterThan(1))
  return connected
}

test('a change refreshes the page, but reads nothing that is not shown', async () => {
  const { server, streams, reads, requests } = await openConnected()
  const [before, all] = [reads(), requests.length]
  server.row = { ...server.row, status: 'Unpaid' }

  streams[0]?.notify(
    { feature: 'instances', id: 1 },
    { feature: 'jobs', id: 5 },
    { feature: 'groups', id: 1 },
  )

  expect(await screen.findByText('Unpaid')).toBeTruthy()
  expect(reads()).toBe(before + 1)
  expect(requests.length).toBe(all + 1)
})

test('a new message updates the dashboard', async () => {
  const stream = new FakeStream()
  let totalMessages = 5
  renderApp({
    path: '/dashboard',
    answers: {
      'GET /events': () => stream.response,
      'GET /groups/stats': () => ({ ...noStats, totalMessages }),
    },
  })
  await screen.findByText('5')
  await advance(10_000) // Waits for the refresh that follows the connection.

  totalMessages = 6
  stream.notify({ feature: 'messages', id: null })

  expect(await screen.findByText('6')).toBeTruthy()
})

const noStats = {
  ...{ totalGroups: 0, totalMessages: 0, totalUniqueUsers: 0, totalSentMessages: 0, topGroups: [] },
  ...{ totalJobs: 0, pendingJobs: 0, runningJobs: 0, completedJobs: 0, failedJobs: 0 },
}

test('a thousand changes cause only a few reads, and the last state is shown', async () => {
  const { server, streams, reads } = await openConnected()
  const before = reads()
  for (let n = 0; n < 1000; n++) {
    server.row = { ...server.row, name: `Shop ${n}` }
    streams[0]?.notify({ feature: 'instances', id: 1 })
    if (n % 100 === 0) await advance(10)
  }
  await advance(3000)
  expect(screen.getByText('Shop 999')).toBeTruthy()
  expect(reads() - before).toBeLessThanOrEqual(3)
})

test('an event that arrives in several chunks is parsed as one', async () => {
  const { server, streams } = await openConnected()
  server.row = { ...server.row, name: 'Market' }
  for (const piece of [':\n', '\nda', 'ta: [{"feature":"inst', 'ances","id":null}]\n', '\n'])
    streams[0]?.write(piece)
  expect(await screen.findByText('Market')).toBeTruthy()
})

test('after a server restart the stream reconnects, and everything is read once', async () => {
  const { server, streams, reads } = await openConnected()
  const before = reads()
  server.row = { ...server.row, name: 'Market' }

  streams[0]?.end()
  await waitFor(() => expect(streams).toHaveLength(2))
  expect(await screen.findByText('Market')).toBeTruthy()
  await advance(5000)

  expect(reads()).toBe(before + 1)
})

test('retries back off while the server is down, and happen at once when the network returns', async () => {
  const { server, streams, connections } = await openConnected()
  server.refusal = refuse(503, 'unavailable')
  streams[0]?.end()
  await advance(60_000)
  const attempts = connections()
  expect(attempts).toBeLessThan(8)

  server.refusal = null
  window.dispatchEvent(new Event('online'))
  await waitFor(() => expect(streams).toHaveLength(2))
  expect(connections()).toBe(attempts + 1)
})

test('pages poll only while the event stream is down', async () => {
  const { server, streams, reads } = await openConnected({ isSyncing: true })
  const readsBefore = reads()
  await advance(9000)
  expect(reads()).toBe(readsBefore)

  server.refusal = refuse(503, 'unavailable')
  streams[0]?.end()
  await advance(9500)
  expect(reads()).toBe(readsBefore + 3)
})

test('a silent connection is replaced, one with heartbeats is kept', async () => {
  const { streams } = await openConnected()
  for (let n = 0; n < 6; n++) {
    await advance(20_000)
    streams[0]?.write(':\n\n')
  }
  await advance(0)
  expect(streams).toHaveLength(1)
  await advance(52_000)
  expect(streams).toHaveLength(2)
})

test('a hidden tab closes its connection after a while, and catches up when it is shown', async () => {
  const { server, streams } = await openConnected()
  setVisibility('hidden')
  await advance(10_000)
  setVisibility('visible')
  await advance(30_000)
  expect(streams).toHaveLength(1)

  setVisibility('hidden')
  await advance(60_000)
  expect(streams).toHaveLength(1)
  expect(streams[0]?.isCancelled).toBe(true)
  server.row = { ...server.row, name: 'Market' }
  setVisibility('visible')
  expect(await screen.findByText('Market')).toBeTruthy()
  expect(streams).toHaveLength(2)
})

test('an ended session leads to the login with one toast', async () => {
  const { server, streams, router } = await openConnected()
  server.refusal = refuse(401, 'unauthenticated')
  streams[0]?.end()
  await advance(1000)
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
  expect(currentToasts()).toHaveLength(1)
})
