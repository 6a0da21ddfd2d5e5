import type { Change } from '@sendroom/contract/events'
import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { call, request } from './client.ts'
import { Failure } from './failure.ts'
import { keepFresh } from './keep-fresh.ts'
import { updateUser } from './session.ts'

/** The server beats every 20 s: after two that did not come the connection is dead, though nobody said so. */
const SILENCE_MS = 50_000
const FIRST_RETRY_MS = 1000
const MOST_RETRY_MS = 30_000
/** A tab nobody looks at gives its connection back: a browser has six for a site. */
const HIDDEN_MS = 15_000

let isOn = false
const watchers = new Set<() => void>()

function setOn(on: boolean) {
  if (on === isOn) return
  isOn = on
  for (const watcher of watchers) watcher()
}

function watch(watcher: () => void) {
  watchers.add(watcher)
  return () => {
    watchers.delete(watcher)
  }
}

/** For `refetchInterval`: asks again and again only as long as the server does not tell by itself what changes. */
export function usePolling() {
  const isLive = useSyncExternalStore(watch, () => isOn)
  return (everyMs: number | false) => !isLive && everyMs
}

/** Keeps what is on the screen true: the one connection of this tab that hears what changes. */
export function useLive(queryClient: QueryClient) {
  useEffect(() => {
    const stopping = new AbortController()
    const fresh = keepFresh(queryClient)
    // Not before the page is drawn: it asks for what it shows, and the stream has time.
    requestAnimationFrame(() => setTimeout(() => keepFollowing(fresh, stopping.signal)))
    return () => {
      stopping.abort()
      fresh.stop()
    }
  }, [queryClient])
}

type Ears = {
  /** What was told before is unknown. */
  onConnect: () => void
  onChange: (changes: Change[]) => void
}

async function keepFollowing(ears: Ears, stopped: AbortSignal) {
  let failures = 0
  const onConnect = () => {
    failures = 0
    setOn(true)
    ears.onConnect()
    // The server ends the connection when one's rights change.
    call('GET /auth/me', {}).then(updateUser, () => {})
  }
  while (!stopped.aborted) {
    try {
      await follow({ ...ears, onConnect }, stopped)
    } catch (error) {
      // The session is over, and `request` has said so.
      if (error instanceof Failure && error.status === 401) return
    } finally {
      setOn(false)
    }
    const waitMs = Math.min(MOST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures)
    failures += 1
    // Many clients lose a server at once, and must not come back at once.
    await pause(waitMs * (0.5 + Math.random() / 2), stopped)
  }
}

/** One connection, until it ends, falls silent, or the tab is hidden for a while. */
async function follow({ onConnect, onChange }: Ears, stopped: AbortSignal) {
  const connection = new AbortController()
  const close = () => connection.abort()
  let silence = setTimeout(close, SILENCE_MS)
  let hidden: ReturnType<typeof setTimeout> | undefined
  const onVisibility = () => {
    clearTimeout(hidden)
    if (document.visibilityState === 'hidden') hidden = setTimeout(close, HIDDEN_MS)
  }
  stopped.addEventListener('abort', close)
  document.addEventListener('visibilitychange', onVisibility)
  onVisibility()
  try {
    const { body } = await request('GET /events', {}, connection.signal)
    if (!body) return
    const reader = body.pipeThrough(new TextDecoderStream(), { signal: connection.signal }).getReader()
    let text = ''
    for (let isFirst = true; ; isFirst = false) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(silence)
      silence = setTimeout(close, SILENCE_MS)
      if (isFirst) onConnect()
      const events = (text + value).split('\n\n')
      text = events.pop() ?? ''
      // Each is one line of the contract's making; comments and `retry` say nothing to us.
      for (const event of events)
        if (event.startsWith('data: ')) onChange(JSON.parse(event.slice('data: '.length)) as Change[])
    }
  } finally {
    clearTimeout(silence)
    clearTimeout(hidden)
    stopped.removeEventListener('abort', close)
    document.removeEventListener('visibilitychange', onVisibility)
    close()
  }
}

/** Until the time is over; at once when the network or the person comes back; not while the tab is hidden. */
function pause(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const isHidden = () => document.visibilityState === 'hidden'
    const timer = setTimeout(() => isHidden() || end(), ms)
    const onReturn = () => isHidden() || end()
    function end() {
      clearTimeout(timer)
      window.removeEventListener('online', onReturn)
      document.removeEventListener('visibilitychange', onReturn)
      stopped.removeEventListener('abort', end)
      resolve()
    }
    window.addEventListener('online', onReturn)
    document.addEventListener('visibilitychange', onReturn)
    stopped.addEventListener('abort', end)
    if (stopped.aborted) end()
  })
}
