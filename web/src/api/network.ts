import { useSyncExternalStore } from 'react'

const ASK_AGAIN_MS = 1000

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

/** For what is no call, such as a page's code: resolves as soon as the server answers. */
export async function untilReached(): Promise<void> {
  const isReady = () =>
    fetch('/api/health').then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    setReached(false)
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
  }
  setReached(true)
}

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
