import { Readable } from 'node:stream'
import type { Change } from '@sendroom/contract/events'

/** When a client reconnects after its stream ended. The client adds jitter of its own. */
const RETRY_MS = 1000
/** The buffer for a slow client. A client that falls further behind is dropped, reconnects and reads everything. */
const BUFFER_BYTES = 64 * 1024
const END_TIMEOUT_MS = 1000
/** More changes at once are sent without their ids: "many jobs changed". */
const MAX_CHANGES_WITH_IDS = 50

/** The server-sent events for one client. */
export type EventStream = {
  source: Readable
  begin: () => void
  send: (changes: Change[]) => void
  /** Sends a comment that keeps the connection open. Proxies and phones drop a silent one. */
  heartbeat: () => void
  end: () => void
}

export function openEventStream(whenClosed: () => void): EventStream {
  const source = new Readable({ highWaterMark: BUFFER_BYTES, read() {} })
  source.once('close', whenClosed)
  let isOpen = true
  const write = (text: string) => {
    if (isOpen && !source.destroyed && !source.push(text)) source.destroy()
  }
  return {
    source,
    begin: () => write(`retry: ${RETRY_MS}\n\n`),
    send: (changes) => write(`data: ${textOf(changes)}\n\n`),
    heartbeat: () => write(':\n\n'),
    end() {
      if (!isOpen) return
      isOpen = false
      source.push(null)
      // A client that no longer reads never receives the end.
      setTimeout(() => source.destroy(), END_TIMEOUT_MS).unref()
    },
  }
}

function textOf(changes: Change[]): string {
  const areMany = changes.length > MAX_CHANGES_WITH_IDS
  const texts = changes.map(({ feature, id }) => JSON.stringify({ feature, id: areMany ? null : id }))
  return `[${[...new Set(texts)].join()}]`
}
