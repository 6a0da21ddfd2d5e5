import { Readable } from 'node:stream'
import type { Change } from '@sendroom/contract/events'

/** For a client whose stream ended; it adds jitter of its own. */
const RETRY_MS = 1000
/** What may wait for a slow client. One that falls further behind is dropped, and reads everything anew. */
const WAITING_BYTES = 64 * 1024
const LAST_WORDS_MS = 1000
/** More changes at once are told as 'many of them'. */
const CHANGES_AT_ONCE = 50

/** Server-sent events for one client. */
export type EventStream = {
  source: Readable
  begin: () => void
  tell: (changes: Change[]) => void
  /** Says nothing, but keeps the connection open: proxies and phones forget a silent one. */
  beat: () => void
  end: () => void
}

export function openEventStream(whenClosed: () => void): EventStream {
  const source = new Readable({ highWaterMark: WAITING_BYTES, read() {} })
  source.once('close', whenClosed)
  let isOpen = true
  const write = (text: string) => {
    if (isOpen && !source.destroyed && !source.push(text)) source.destroy()
  }
  return {
    source,
    begin: () => write(`retry: ${RETRY_MS}\n\n`),
    tell: (changes) => write(`data: ${textOf(changes)}\n\n`),
    beat: () => write(':\n\n'),
    end() {
      if (!isOpen) return
      isOpen = false
      source.push(null)
      // A client that no longer reads would never see the end.
      setTimeout(() => source.destroy(), LAST_WORDS_MS).unref()
    },
  }
}

function textOf(changes: Change[]): string {
  const areMany = changes.length > CHANGES_AT_ONCE
  const told = changes.map(({ feature, id }) => JSON.stringify({ feature, id: areMany ? null : id }))
  return `[${[...new Set(told)].join()}]`
}
