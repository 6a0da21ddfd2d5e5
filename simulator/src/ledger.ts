import { newMessageId } from './identifiers.ts'
import type { Journal } from './journal.ts'

/** A file as the ledger remembers it, long after its bytes are gone. */
export interface MediaMark {
  id: string
  sha256: string
  size: number
  mime: string
}

/** One message the provider has accepted. */
export interface LedgerEntry {
  id: string
  /** Unix milliseconds on the simulator's clock. */
  at: number
  token: string
  /** The chat, always with its suffix. */
  to: string
  type: 'text' | 'image'
  body?: string
  caption?: string
  media?: MediaMark
  /** `api`: sent through us; `mobile`: written on the phone. */
  source: 'api' | 'mobile'
  /** Who wrote it, when it was not us: digits. */
  from?: string
  /** The link a text went out with a preview of; it reads back as `link_preview`. */
  link?: string
}

export type Draft = Omit<LedgerEntry, 'id' | 'at'>

export interface Ledger {
  /** Writes the message down, in the file first, and returns it. The same draft twice is two messages. */
  accept(draft: Draft, at: number): LedgerEntry
  /** Takes back an entry read from the file. */
  restore(entry: LedgerEntry): void
  /** Oldest first; all of them without a token, those of one chat with `to`. */
  list(token?: string, to?: string): readonly LedgerEntry[]
  find(token: string, id: string): LedgerEntry | undefined
}

export function createLedger(journal: Journal): Ledger {
  const all: LedgerEntry[] = []
  const byId = new Map<string, LedgerEntry>()
  const byToken = new Map<string, LedgerEntry[]>()
  const byChat = new Map<string, LedgerEntry[]>()

  function restore(entry: LedgerEntry) {
    // A job sends one text thousands of times; parsed anew each time, it would be kept as often.
    const last = all.at(-1)
    if (last && last.body === entry.body) entry.body = last.body
    if (last && last.caption === entry.caption) entry.caption = last.caption
    all.push(entry)
    byId.set(entry.id, entry)
    push(byToken, entry.token, entry)
    push(byChat, `${entry.token} ${entry.to}`, entry)
  }

  return {
    accept(draft, at) {
      const entry = { id: newMessageId(draft.to), at, ...draft }
      journal.append({ sent: entry })
      restore(entry)
      return entry
    },
    restore,
    list(token, to) {
      if (token && to) return byChat.get(`${token} ${to}`) ?? []
      const entries = token ? (byToken.get(token) ?? []) : all
      return to ? entries.filter((entry) => entry.to === to) : entries
    },
    find(token, id) {
      const entry = byId.get(id)
      return entry?.token === token ? entry : undefined
    },
  }
}

function push(index: Map<string, LedgerEntry[]>, key: string, entry: LedgerEntry) {
  const entries = index.get(key)
  if (entries) entries.push(entry)
  else index.set(key, [entry])
}
