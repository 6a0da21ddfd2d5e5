import { randomBytes } from 'node:crypto'
import type { LedgerEntry, MediaInfo } from '../state/ledger.ts'
import { type Fields, numberOf } from '../wire/parameters.ts'

/** How often the provider changes a file that was sent with `no_encode`. The choice is random, in percent. */
export interface EncodingRules {
  /** Encodes again all the same: hash and size change. */
  encodesAgainPercent: number
  /** Drops the name of a document. */
  dropsNamesPercent: number
}

/** The rules of encoding, for one channel or for all. */
export interface Encoding {
  /** Changes the rules of one channel or, without `token`, of all channels without rules of their own. */
  change(token: string | undefined, rules: Partial<EncodingRules>): EncodingRules
  /** Returns a file and its name as the provider sends and lists them. */
  encode(token: string, media: MediaInfo, fileName?: string): Pick<LedgerEntry, 'media' | 'fileName'>
}

/** Creates the rules: without a change of them, the provider sends each file as it is. */
export function createEncoding(): Encoding {
  let shared: EncodingRules = { encodesAgainPercent: 0, dropsNamesPercent: 0 }
  const channels = new Map<string, EncodingRules>()
  return {
    change(token, rules) {
      const changed = { ...((token && channels.get(token)) || shared), ...rules }
      if (token === undefined) shared = changed
      else channels.set(token, changed)
      return changed
    },
    encode(token, { id, sha256, size, mime }, fileName) {
      const rules = channels.get(token) ?? shared
      const media = { id, sha256, size, mime }
      const isNamed = fileName !== undefined && !happens(rules.dropsNamesPercent)
      return {
        media: happens(rules.encodesAgainPercent) ? encodedAgain(media) : media,
        ...(isNamed ? { fileName } : {}),
      }
    },
  }
}

const happens = (percent: number) => Math.random() * 100 < percent

/** The id stays that of the uploaded file, so that a test can tell which file was sent. */
const encodedAgain = (media: MediaInfo): MediaInfo => ({
  ...media,
  sha256: randomBytes(32).toString('base64'),
  size: Math.max(1, Math.floor(media.size * (0.5 + Math.random() / 3))),
})

/** Returns the rules that a control request changes. Throws a 400 refusal for percentages outside 0 to 100. */
export function parseEncodingRules(fields: Fields): Partial<EncodingRules> {
  const names = ['encodesAgainPercent', 'dropsNamesPercent'] as const
  const rules = names.map((name) => [name, numberOf(fields, name, 0, 100)])
  return Object.fromEntries(rules.filter(([, value]) => value !== undefined))
}
