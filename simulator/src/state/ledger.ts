import { newMessageId } from '../wire/identifiers.ts'
import type { Journal } from './journal.ts'

/** A media file without its bytes, which are not kept as long. */
export interface MediaInfo {
  id: string
  /** Base64. */
  sha256: string
  /** Bytes. */
  size: number
  mime: string
  /** The codecs of an MP4's tracks. */
  codecs?: string[]
}

/** The kinds of messages that the API sends. */
export const kinds = ['text', 'image', 'video', 'document', 'audio', 'voice', 'poll', 'location'] as const
export type Kind = (typeof kinds)[number]

/** A message that the simulator has accepted. */
export interface LedgerEntry {
  id: string
  /** Unix milliseconds on the provider's clock. */
  at: number
  token: string
  /** The chat id, always with its suffix. */
  to: string
  type: Kind
  body?: string
  caption?: string
  /** The file as the provider lists it, which is not as it was uploaded if the provider has encoded it again. */
  media?: MediaInfo
  /** The name of a document. Missing if the provider has dropped it. */
  fileName?: string
  /** The length of audio, in seconds. */
  seconds?: number
  poll?: { title: string; options: string[]; isSingle: boolean }
  /** The options that each person has voted for in a poll, by digits or `…@lid`. */
  votes?: Record<string, string[]>
  /** Degrees. */
  location?: { latitude: number; longitude: number; name?: string; address?: string }
  /** The numbers of the people whom the message mentions. */
  mentions?: string[]
  /** `api`: sent over the API; `mobile`: written on a phone. */
  source: 'api' | 'mobile'
  /** The author: digits, or `…@lid` for whoever hides the number. Missing for own messages. */
  from?: string
  /** The id of the message that this one quotes. */
  quoted?: string
  /** The link that a text shows a preview of. Such a text reads back as `link_preview`. */
  link?: string
}

/** Somebody's vote in the poll `id`. `voter` is digits, or `…@lid` for whoever hides the number. */
export interface Vote {
  token: string
  id: string
  voter: string
  options: string[]
}

/** An entry before its acceptance. */
export type Draft = Omit<LedgerEntry, 'id' | 'at'>

/** All accepted messages. */
export interface Ledger {
  /**
   * Accepts a message at a time in Unix milliseconds. Writes to the journal first, then returns the entry. The same
   * draft twice gives two messages, as Whapi has no idempotency.
   */
  accept(draft: Draft, at: number): LedgerEntry
  /** Restores an entry from the journal. */
  restore(entry: LedgerEntry): void
  /** Records the vote of somebody in a poll, in place of the former one. No options take the vote back. */
  vote(vote: Vote): void
  /** Restores a vote from the journal. */
  restoreVote(vote: Vote): void
  /** Returns entries, oldest first: of every channel without `token`, of one chat with `to`. */
  list(token?: string, to?: string): readonly LedgerEntry[]
  /** Returns a message, or undefined if this channel has none with the id. */
  find(token: string, id: string): LedgerEntry | undefined
}

/** Creates an empty ledger. */
export function createLedger(journal: Journal): Ledger {
  const all: LedgerEntry[] = []
  const byId = new Map<string, LedgerEntry>()
  const byToken = new Map<string, LedgerEntry[]>()
  const byChat = new Map<string, LedgerEntry[]>()

  function restore(entry: LedgerEntry) {
    // A job sends the same text thousands of times. Sharing the string saves a copy per message.
    const last = all.at(-1)
    if (last && last.body === entry.body) entry.body = last.body
    if (last && last.caption === entry.caption) entry.caption = last.caption
    all.push(entry)
    byId.set(entry.id, entry)
    push(byToken, entry.token, entry)
    push(byChat, `${entry.token} ${entry.to}`, entry)
  }

  function find(token: string, id: string) {
    const entry = byId.get(id)
    return entry?.token === token ? entry : undefined
  }

  function restoreVote({ token, id, voter, options }: Vote) {
    const entry = find(token, id)
    if (entry) entry.votes = { ...entry.votes, [voter]: options }
  }

  return {
    accept(draft, at) {
      const entry = { id: newMessageId(draft.to), at, ...draft }
      journal.append({ sent: entry })
      restore(entry)
      return entry
    },
    restore,
    vote(vote) {
      journal.append({ vote })
      restoreVote(vote)
    },
    restoreVote,
    list(token, to) {
      if (token && to) return byChat.get(`${token} ${to}`) ?? []
      const entries = token ? (byToken.get(token) ?? []) : all
      return to ? entries.filter((entry) => entry.to === to) : entries
    },
    find,
  }
}

function push(index: Map<string, LedgerEntry[]>, key: string, entry: LedgerEntry) {
  const entries = index.get(key)
  if (entries) entries.push(entry)
  else index.set(key, [entry])
}
