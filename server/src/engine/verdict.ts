/** A message found nowhere is believed unsent only so long after its intent: a late one has arrived by then. */
export const BELIEVE_AFTER_MS = 30_000
/** Two look-ups that found nothing count as two only so far apart. */
export const LOOKS_APART_MS = 5_000
/** No look-up that can be believed for so long: the operator decides. */
const GIVE_UP_AFTER_MS = 600_000
/** Attempts that ended in doubt and had not gone out, after which the recipient fails: or it would go on for ever. */
const DOUBTS = 10

/** What one look at the chat has shown. */
export type Look = {
  /** Ids that may be ours and that no delivery is credited with; null when the chat could not be read. */
  candidates: string[] | null
  /** The account was connected, so an empty answer means something. */
  isWell: boolean
  /** From the intent to the beginning of this look. */
  sinceIntentMs: number
  /** From the former look that found nothing to the beginning of this one; null when there was none. */
  sinceNotFoundMs: number | null
  /** How long no look could be believed; 0 when the last one could. */
  failingForMs: number
  doubts: number
}

export type Verdict =
  | { kind: 'sent'; providerMessageId: string }
  | { kind: 'unknown' }
  /** Surely not sent: it goes back to the queue. */
  | { kind: 'not_sent' }
  /** Surely not sent, and that too many times. */
  | { kind: 'hopeless' }
  /** Not found once; a second look decides. */
  | { kind: 'not_found' }
  | { kind: 'too_early' }
  | { kind: 'failing' }

/** Design of the look-ups: see README.md, 'In doubt'. */
export function verdictOf(look: Look): Verdict {
  const [first, second] = look.candidates ?? []
  if (first !== undefined)
    return second === undefined ? { kind: 'sent', providerMessageId: first } : { kind: 'unknown' }
  if (look.candidates !== null && look.sinceIntentMs < BELIEVE_AFTER_MS) return { kind: 'too_early' }
  if (look.candidates === null || !look.isWell)
    return { kind: look.failingForMs >= GIVE_UP_AFTER_MS ? 'unknown' : 'failing' }
  if (look.sinceNotFoundMs === null || look.sinceNotFoundMs < LOOKS_APART_MS) return { kind: 'not_found' }
  return { kind: look.doubts >= DOUBTS ? 'hopeless' : 'not_sent' }
}
