import { delay } from '../ui/delay.ts'
import { createStore, useStore } from '../ui/store.ts'

const RETRY_MS = 1000

const reachable = createStore(true)

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

/** Records whether the last call reached the server, whatever the server answered. */
export const setReachable = reachable.set

/** Whether the browser is online and the last call reached the server. */
export function useIsConnected(): boolean {
  const isOnline = useStore(online)
  return useStore(reachable) && isOnline
}

/** Resolves as soon as the server answers. For loads that are not calls, such as a page's code. */
export async function waitUntilReachable(): Promise<void> {
  const isReady = () =>
    fetch('/api/health').then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    setReachable(false)
    await delay(RETRY_MS)
  }
  setReachable(true)
}
