import type { Change } from '@sendroom/contract/events'
import type { InstanceRow } from '@sendroom/contract/instances'
import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { instance } from '../../test/instance.ts'
import { renderApp } from '../../test/render.tsx'
import { pageOf, refuse } from '../../test/server.ts'
import { currentToasts, removeToast } from '../ui/toasts.ts'

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  // Jitter at its most.
  vi.spyOn(Math, 'random').mockReturnValue(1)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  show('visible')
  for (const { id } of currentToasts()) removeToast(id)
})

/** The server's end of a stream. */
class FakeStream {
  readonly response: Response
  hasBeenGivenUp = false
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined

  constructor() {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller
      },
      cancel: () => {
        this.hasBeenGivenUp = true
      },
    })
    this.response = new Response(body)
    this.say('retry: 1000\n\n')
  }

  say = (text: string) => this.#controller?.enqueue(new TextEncoder().encode(text))
  tell = (...changes: Change[]) => this.say(`data: ${JSON.stringify(changes)}\n\n`)
  end = () => this.#controller?.close()
}

const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

function show(visibility: 'visible' | 'hidden') {
  Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))
}

/** The list of accounts, with a server whose streams a test holds in its hands. */
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
  const reads = () => app.seen.filter(({ name }) => name === 'GET /instances').length
  const asks = () => app.seen.filter(({ name }) => name === 'GET /events').length
  return { ...app, server, streams, reads, asks }
}

/** Connected, and everything was read once more. */
async function opened(row: Partial<InstanceRow> = {}) {
  const live = await open(row)
  await later(3000)
  return live
}

test('a change moves the page by itself; what is not shown is not asked for', async () => {
  const { server, streams, reads, seen } = await opened()
  const [before, all] = [reads(), seen.length]
  server.row = { ...server.row, status: 'Unpaid' }

  streams[0]?.tell({ feature: 'instances', id: 1 }, { feature: 'jobs', id: 5 }, { feature: 'groups', id: 1 })

  expect(await screen.findByText('Unpaid')).toBeTruthy()
  expect(reads()).toBe(before + 1)
  expect(seen.length).toBe(all + 1)
})

test('a message that somebody wrote is counted on the dashboard', async () => {
  const stream = new FakeStream()
  let totalMessages = 5
  renderApp({
    path: '/dashboard',
    answers: {
      'GET /events': () => stream.response,
      'GET /groups/stats': () => ({ ...noNumbers, totalMessages }),
    },
  })
  await screen.findByText('5')
  await later(10_000) // Connected, and everything was read once more.

  totalMessages = 6
  stream.tell({ feature: 'messages', id: null })

  expect(await screen.findByText('6')).toBeTruthy()
})

const noNumbers = {
  ...{ totalGroups: 0, totalMessages: 0, totalUniqueUsers: 0, totalSentMessages: 0, topGroups: [] },
  ...{ totalJobs: 0, pendingJobs: 0, runningJobs: 0, completedJobs: 0, failedJobs: 0 },
}

test('a thousand changes are a few questions, and the last state is shown', async () => {
  const { server, streams, reads } = await opened()
  const before = reads()
  for (let n = 0; n < 1000; n++) {
    server.row = { ...server.row, name: `Shop ${n}` }
    streams[0]?.tell({ feature: 'instances', id: 1 })
    if (n % 100 === 0) await later(10)
  }
  await later(3000)
  expect(screen.getByText('Shop 999')).toBeTruthy()
  expect(reads() - before).toBeLessThanOrEqual(3)
})

test('an event that arrives in pieces is one event', async () => {
  const { server, streams } = await opened()
  server.row = { ...server.row, name: 'Market' }
  for (const piece of [':\n', '\nda', 'ta: [{"feature":"inst', 'ances","id":null}]\n', '\n'])
    streams[0]?.say(piece)
  expect(await screen.findByText('Market')).toBeTruthy()
})

test('a server that restarts is found again, and everything is read once', async () => {
  const { server, streams, reads } = await opened()
  const before = reads()
  server.row = { ...server.row, name: 'Market' }

  streams[0]?.end()
  await later(1000)
  expect(streams).toHaveLength(2)
  await later(1000)

  expect(screen.getByText('Market')).toBeTruthy()
  expect(reads()).toBe(before + 1)
})

test('a server that stays away is asked ever more seldom, and at once when the network is back', async () => {
  const { server, streams, asks } = await opened()
  server.refusal = refuse(503, 'unavailable')
  streams[0]?.end()
  await later(60_000)
  const tried = asks()
  expect(tried).toBeLessThan(8)

  server.refusal = null
  window.dispatchEvent(new Event('online'))
  await waitFor(() => expect(streams).toHaveLength(2))
  expect(asks()).toBe(tried + 1)
})

test('pages ask by themselves only as long as nobody tells them', async () => {
  const { server, streams, reads } = await opened({ isSyncing: true })
  const connected = reads()
  await later(9000)
  expect(reads()).toBe(connected)

  server.refusal = refuse(503, 'unavailable')
  streams[0]?.end()
  await later(9500)
  expect(reads()).toBe(connected + 3)
})

test('a connection that fell silent is given up, one that beats is not', async () => {
  const { streams } = await opened()
  for (let n = 0; n < 6; n++) {
    await later(20_000)
    streams[0]?.say(':\n\n')
  }
  await later(0)
  expect(streams).toHaveLength(1)
  await later(52_000)
  expect(streams).toHaveLength(2)
})

test('a tab that is hidden for a while gives its connection back, and catches up when it is seen', async () => {
  const { server, streams } = await opened()
  show('hidden')
  await later(10_000)
  show('visible')
  await later(30_000)
  expect(streams).toHaveLength(1)

  show('hidden')
  await later(60_000)
  expect(streams).toHaveLength(1)
  expect(streams[0]?.hasBeenGivenUp).toBe(true)
  server.row = { ...server.row, name: 'Market' }
  show('visible')
  expect(await screen.findByText('Market')).toBeTruthy()
  expect(streams).toHaveLength(2)
})

test('a session that was ended leads to the login, with one toast', async () => {
  const { server, streams, router } = await opened()
  server.refusal = refuse(401, 'unauthenticated')
  streams[0]?.end()
  await later(1000)
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
  expect(currentToasts()).toHaveLength(1)
})
