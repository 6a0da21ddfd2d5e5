import type { Change, ChangedFeature } from '@sendroom/contract/events'
import type { QueryClient, QueryKey } from '@tanstack/react-query'

/** A query is not refreshed more often than this, however fast the changes come. */
const PAGE_INTERVAL_MS = 1000
/** Pages of which only a number changes with every message: the dashboard and the list of jobs. */
const NUMBERS_INTERVAL_MS = 5000
/**
 * After a (re)connection everything is refreshed once within this time. The random part keeps the clients of a
 * restarted server from reading all at once.
 */
const RECONNECT_SPREAD_MS = 1000

const dashboard: QueryKey = ['groups', 'GET /groups/stats']
/** The answer of `GET /dashboard/now`: troubles, and the jobs that run or come next. */
const now: QueryKey = ['dashboard', 'GET /dashboard/now']
const days: QueryKey = ['dashboard', 'GET /dashboard/days']
/** A calendar may be large. */
const calendar: QueryKey = ['calendar']
/** The list of jobs, which has numbers of recipients. */
const jobList: QueryKey = ['jobs', 'list']
const slow: ReadonlySet<QueryKey> = new Set([dashboard, now, days, jobList, calendar])
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
 * The queries that a change makes stale, by the beginning of their keys. Answers shown in forms are left out, so that
 * nobody's typing is disturbed. So are QR codes, because each one costs a call to the provider.
 */
const staleBy: Record<ChangedFeature, (id: number | null) => QueryKey[]> = {
  jobs: (id) => [['jobs', 'list'], ...ofJob(id), dashboard, now, calendar],
  deliveries: (id) => [...ofJob(id), jobList, dashboard, now, days],
  messages: () => [['messages', 'list'], ['messages', 'all'], dashboard],
  // A job's page shows why its instance does not send.
  instances: () => [['instances', 'list'], ['instances', 'all'], ['jobs', 'GET /jobs/:id'], now],
  groups: () => [['groups', 'list'], ['groups', 'all'], dashboard],
  lists: () => [
    ['lists', 'list'],
    ['lists', 'GET /lists/:id'],
  ],
  groupSets: () => [['group-sets', 'list']],
  series: () => [
    ['series', 'list'],
    ['series', 'GET /series/:id/runs'],
    ['series', 'GET /series/:id'],
    calendar,
  ],
  optOuts: () => [['opt-outs', 'list'], ['possible-opt-outs', 'list'], now],
  // A job that begins to stand still is news for the dashboard and the list of such jobs, too.
  notices: () => [['notices', 'GET /notices'], now, jobList],
}

/** Refreshes the queries that changes make stale: those on the screen now, the others when they are next shown. */
export function keepFresh(queryClient: QueryClient) {
  const refresh = (key: QueryKey) => queryClient.invalidateQueries({ queryKey: key })
  const pages = throttleRefresh(PAGE_INTERVAL_MS, refresh)
  const numbers = throttleRefresh(NUMBERS_INTERVAL_MS, refresh)
  const add = (key: QueryKey) => (slow.has(key) ? numbers : pages).add(key)
  let refreshAll: ReturnType<typeof setTimeout> | undefined
  return {
    onChange: (changes: Change[]) => {
      // A newer server may know more features.
      for (const { feature, id } of changes)
        if (Object.hasOwn(staleBy, feature)) staleBy[feature](id).forEach(add)
    },
    onConnect: () => {
      clearTimeout(refreshAll)
      refreshAll = setTimeout(
        () => {
          for (const stale of Object.values(staleBy)) stale(null).forEach(add)
        },
        RECONNECT_SPREAD_MS * (0.2 + Math.random() * 0.8),
      )
    },
    stop: () => {
      clearTimeout(refreshAll)
      pages.stop()
      numbers.stop()
    },
  }
}

/**
 * Refreshes added keys at once, then waits until all answers have arrived and `everyMs` more have passed. A newer
 * refresh therefore never aborts one that is still running, however slow the server is.
 */
function throttleRefresh(everyMs: number, refresh: (key: QueryKey) => Promise<unknown>) {
  const due = new Map<string, QueryKey>()
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  async function refreshDue() {
    const keys = [...due.values()]
    due.clear()
    await Promise.all(keys.map(refresh))
    if (isStopped) return
    timer = setTimeout(() => {
      if (due.size > 0) refreshDue()
      else timer = undefined
    }, everyMs)
  }
  return {
    add(key: QueryKey) {
      due.set(JSON.stringify(key), key)
      timer ??= setTimeout(refreshDue, 0)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
