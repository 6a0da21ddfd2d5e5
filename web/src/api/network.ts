import { useSyncExternalStore } from 'react'

let isReached = true
const watchers = new Set<() => void>()

/** Whether the last call had an answer, whatever it was. */
export function setReached(reached: boolean) {
  if (reached === isReached) return
  isReached = reached
  for (const watcher of watchers) watcher()
}

/** Whether there is a way to the server, as far as one knows. */
export const useIsConnected = () => useSyncExternalStore(watch, () => isReached && navigator.onLine)

function watch(watcher: () => void) {
  watchers.add(watcher)
  window.addEventListener('online', watcher)
  window.addEventListener('offline', watcher)
  return () => {
    watchers.delete(watcher)
    window.removeEventListener('online', watcher)
    window.removeEventListener('offline', watcher)
  }
}
