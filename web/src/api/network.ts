import { delay } from '../ui/delay.ts'
import { createStore, useStore } from '../ui/store.ts'

const RETRY_MS = 1000
/** The least time between two questions whether Sendroom is ready again. Its random part is as long. */
const READY_RETRY_MS = 1500

/** The result of the last call: an answer, no server, or a server that can't reach its database. */
export type Connection = 'good' | 'unreachable' | 'unavailable'

const connection = createStore<Connection>('good')

const online = {
  get: () => navigator.onLine,
  subscribe: (listener: () => void) => {
    window.addEventListener('online', listener)
    window.addEventListener('offline', listener)
    return () => {
      window.removeEventListener('online', listener)
      window.removeEventListener('offline', listener)
    }
  },
}

export const setConnection = connection.set

/** Returns how the last call went. Without a network nothing can be reached. */
export function useConnection(): Connection {
  const isOnline = useStore(online)
  const last = useStore(connection)
  return isOnline ? last : 'unreachable'
}

/** Asks until the server is ready, and records that. */
export async function waitUntilReady(stopped: AbortSignal): Promise<void> {
  for (;;) {
    await delay(READY_RETRY_MS * (1 + Math.random()))
    if (stopped.aborted) return
    const isReady = await fetch('/api/ready').then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return setConnection('good')
  }
}

/** Resolves as soon as the server answers. For loads that are not calls, such as a page's code. */
export async function waitUntilReachable(): Promise<void> {
  const isReady = () =>
    fetch('/api/health').then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    setConnection('unreachable')
    await delay(RETRY_MS)
  }
  setConnection('good')
}
