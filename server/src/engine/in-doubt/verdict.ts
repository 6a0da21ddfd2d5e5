/** A message that is not found counts as unsent only this long after its intent. A late one has arrived by then. */
export const BELIEVE_AFTER_MS = 30_000
/** 2 Mbit/s. After it has taken the message, the provider still has to pass its file on to WhatsApp. */
const FILE_BYTES_PER_MS = 250
/** The same for a message with a file of so many bytes: seven minutes more for 100 MB. */
export const believeAfterMs = (fileBytes: number) =>
  BELIEVE_AFTER_MS + Math.ceil(fileBytes / FILE_BYTES_PER_MS)
/** Two look-ups that found nothing count as two only if they are this far apart. */
export const LOOKS_APART_MS = 5_000
/** After this time without a look-up that can be believed, a person decides. */
const GIVE_UP_AFTER_MS = 600_000
/** After this many attempts that ended in doubt and were not sent, the delivery fails. */
const MAX_DOUBTS = 10

/** The findings of one look-up. */
export type Look = {
  /** Ids that may be ours and that no delivery is matched with; null when the chat could not be read. */
  candidates: string[] | null
  /** The instance was connected, so an empty answer means something. */
  emptyAnswerCounts: boolean
  /** Ms from the intent to the beginning of this look-up. */
  sinceIntentMs: number
  /** From when on a look-up that finds nothing can be believed: see `believeAfterMs`. */
  believeAfterMs: number
  /** Ms from the previous look-up that found nothing to the beginning of this one; null when there was none. */
  sinceNotFoundMs: number | null
  /** Ms during which no look-up could be believed; 0 when the last one could. */
  failingForMs: number
  doubts: number
  /** Whether the message would have been found if it had been sent (shared/same-message.ts). */
  isEvidenceCertain: boolean
}

export type Verdict =
  | { kind: 'sent'; providerMessageId: string }
  /**
   * Several candidates, none of a message that may look different by now, or no look-up that could be believed for 10
   * minutes: a person decides.
   */
  | { kind: 'outcome_unknown' }
  /** Not sent: the delivery is queued again. */
  | { kind: 'not_sent' }
  /** Not sent, and out of retries. */
  | { kind: 'out_of_retries' }
  /** Not found once. A second look-up decides. */
  | { kind: 'not_found' }
  /** Not found, but the message may still arrive. */
  | { kind: 'too_early' }
  /** The chat could not be read, or the instance is not connected. */
  | { kind: 'failing' }

/** Decides what a look-up proves. A pure function; the rules are explained in README.md, 'In doubt'. */
export function verdictOf(look: Look): Verdict {
  const [first, second] = look.candidates ?? []
  if (first !== undefined)
    return second === undefined ? { kind: 'sent', providerMessageId: first } : { kind: 'outcome_unknown' }
  if (look.candidates !== null && look.sinceIntentMs < look.believeAfterMs) return { kind: 'too_early' }
  if (look.candidates === null || !look.emptyAnswerCounts)
    return { kind: look.failingForMs >= GIVE_UP_AFTER_MS ? 'outcome_unknown' : 'failing' }
  if (look.sinceNotFoundMs === null || look.sinceNotFoundMs < LOOKS_APART_MS) return { kind: 'not_found' }
  if (!look.isEvidenceCertain) return { kind: 'outcome_unknown' }
  return { kind: look.doubts >= MAX_DOUBTS ? 'out_of_retries' : 'not_sent' }
}
