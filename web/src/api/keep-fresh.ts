import type { Change, ChangedFeature } from '@sendroom/contract/events'
import type { QueryClient, QueryKey } from '@tanstack/react-query'

/** However fast things change, nothing is asked for more often. */
const PAGE_MS = 1000
/** Its numbers are counted over everything. */
const DASHBOARD_MS = 5000
/** After a connection: what was on its way has arrived by then, and not all clients ask at once. */
const ALL_WITHIN_MS = 1000

const dashboard: QueryKey = ['groups', 'GET /groups/stats']
const ofJob = (id: number | null): QueryKey[] =>
  id === null
    ? [
        ['jobs', 'GET /jobs/:id'],
        ['jobs', 'rows'],
      ]
    : [
        ['jobs', 'GET /jobs/:id', { params: { id } }],
        ['jobs', 'rows', id],
      ]

/**
 * Which answers a change makes stale, by how their keys begin. Forms are not among them: nobody's typing is
 * disturbed; nor are codes to scan, each of which is asked of the provider.
 */
const staleBy: Record<ChangedFeature, (id: number | null) => QueryKey[]> = {
  jobs: (id) => [['jobs', 'list'], ...ofJob(id), dashboard],
  deliveries: (id) => [...ofJob(id), dashboard],
  messages: () => [['messages', 'list'], ['messages', 'all'], dashboard],
  // A job's page says why its account does not send.
  instances: () => [
    ['instances', 'list'],
    ['instances', 'all'],
    ['jobs', 'GET /jobs/:id'],
  ],
  groups: () => [['groups', 'list'], ['groups', 'all'], dashboard],
}

/** Asks again for what is on the screen and has changed; what is not on it is asked for when it is shown. */
export function keepFresh(queryClient: QueryClient) {
  const refresh = (key: QueryKey) => queryClient.invalidateQueries({ queryKey: key })
  const pages = inTurns(PAGE_MS, refresh)
  const numbers = inTurns(DASHBOARD_MS, refresh)
  const add = (key: QueryKey) => (key === dashboard ? numbers : pages).add(key)
  let all: ReturnType<typeof setTimeout> | undefined
  return {
    onChange: (changes: Change[]) => {
      for (const { feature, id } of changes) staleBy[feature](id).forEach(add)
    },
    onConnect: () => {
      clearTimeout(all)
      all = setTimeout(
        () => {
          for (const stale of Object.values(staleBy)) stale(null).forEach(add)
        },
        ALL_WITHIN_MS * (0.2 + Math.random() * 0.8),
      )
    },
    stop: () => {
      clearTimeout(all)
      pages.stop()
      numbers.stop()
    },
  }
}

/**
 * Refreshes each key at once, but not again before the last answers are there and `everyMs` are over: no answer is
 * ever given up for a newer one, however slow the server is.
 */
function inTurns(everyMs: number, refresh: (key: QueryKey) => Promise<unknown>) {
  const due = new Map<string, QueryKey>()
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  async function turn() {
    const keys = [...due.values()]
    due.clear()
    await Promise.all(keys.map(refresh))
    if (isStopped) return
    timer = setTimeout(() => {
      if (due.size > 0) turn()
      else timer = undefined
    }, everyMs)
  }
  return {
    add(key: QueryKey) {
      due.set(JSON.stringify(key), key)
      timer ??= setTimeout(turn, 0)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
