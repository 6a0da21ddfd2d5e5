import type { Change } from '@sendroom/contract/events'
import type { QueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { idle } from '../ui/idle.ts'
import { createStore, useStore } from '../ui/store.ts'
import { readUserAgain, request } from './client.ts'
import { Failure } from './failure.ts'
import { keepFresh } from './keep-fresh.ts'

/** The server sends a heartbeat every 20 s. After two missing ones the connection counts as dead. */
const SILENCE_MS = 50_000
const FIRST_RETRY_MS = 1000
const MAX_RETRY_MS = 30_000
/** A hidden tab closes its connection after this time, because browsers allow only six per site over HTTP/1.1. */
const HIDDEN_MS = 15_000

const isConnected = createStore(false)

/** For `refetchInterval`: returns the given interval while the event stream is down, and false while it is up. */
export function usePolling() {
  const isUp = useStore(isConnected)
  return (everyMs: number | false) => !isUp && everyMs
}

/** Opens the tab's one event stream and refreshes the queries that its events make stale. */
export function useEventStream(queryClient: QueryClient) {
  useEffect(() => {
    const stopping = new AbortController()
    const refresher = keepFresh(queryClient)
    // The stream waits until the page is drawn, so that it does not delay the page's own requests.
    idle().then(() => keepConnected(refresher, stopping.signal))
    return () => {
      stopping.abort()
      refresher.stop()
    }
  }, [queryClient])
}

type Handlers = {
  /** Called for each new connection. Changes since the last one are unknown. */
  onConnect: () => void
  onChange: (changes: Change[]) => void
}

async function keepConnected(handlers: Handlers, stopped: AbortSignal) {
  let failures = 0
  const onConnect = () => {
    failures = 0
    isConnected.set(true)
    handlers.onConnect()
    // The server closes the stream when the user's rights change.
    readUserAgain()
  }
  while (!stopped.aborted) {
    try {
      await follow({ ...handlers, onConnect }, stopped)
    } catch (error) {
      // The session is over. `request` has already handled that.
      if (error instanceof Failure && error.status === 401) return
    } finally {
      isConnected.set(false)
    }
    const waitMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures)
    failures += 1
    // Jitter: all clients lose a restarting server at the same moment and should not all return at once.
    await pause(waitMs * (0.5 + Math.random() / 2), stopped)
  }
}

/** Reads one connection until it ends, falls silent, or the tab has been hidden for a while. */
async function follow({ onConnect, onChange }: Handlers, stopped: AbortSignal) {
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
      // Events are single `data:` lines that follow the contract. Comments and `retry` are ignored.
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

/** Waits `ms`, but ends early when the network or the tab comes back. A hidden tab waits until it is shown. */
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
