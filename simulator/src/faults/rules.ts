import { type Fields, numberOf, textOf } from '../wire/parameters.ts'
import { refuse } from '../wire/refusal.ts'

/** Which requests a fault applies to. A missing field matches every request. */
interface Matcher {
  token?: string
  method?: string
  /** A regular expression for the path without path key and query, e.g. `^/messages/text`. */
  path?: string
  /** The recipient of a send or the chat of a list, with or without suffix. */
  to?: string
  /** How many matching requests pass first. */
  skip?: number
  /** How many requests the fault hits before it ends. Without `times` the fault stays until its removal. */
  times?: number
}

/** The effect of a fault. "Recorded" means that the request takes full effect: the message is in the ledger. */
type Effect =
  /**
   * Answers with this status; not recorded. `body` is JSON, or a text for an answer that is not JSON. Without `body`
   * the answer is an error body, flat or nested. `retryAfter` is in seconds.
   */
  | { kind: 'status'; status: number; body?: unknown; flat?: boolean; retryAfter?: number }
  /** Waits `delayMs`, then records and answers as usual, even if the client is gone. */
  | { kind: 'slow'; delayMs: number }
  /** Closes the connection; not recorded. */
  | { kind: 'drop-before' }
  /** Recorded, then closes the connection without an answer. */
  | { kind: 'accept-then-drop' }
  /** Recorded only `delayMs` after the client hangs up, so a lookup right after the timeout misses the message. */
  | { kind: 'accept-then-late'; delayMs?: number }
  /** Recorded; answers 200 with torn JSON. */
  | { kind: 'malformed' }
  /** Not recorded; answers 200 `{ "sent": false }`. */
  | { kind: 'not-sent' }
  /** Recorded; answers 200 `{ "sent": true }` without a message. */
  | { kind: 'no-id' }
  /** Recorded; answers 200 without a body. */
  | { kind: 'empty' }

/** A fault: the requests it applies to and its effect. */
export type FaultRule = Matcher & Effect

const faultKinds: readonly Effect['kind'][] = [
  'status',
  'slow',
  'drop-before',
  'accept-then-drop',
  'accept-then-late',
  'malformed',
  'not-sent',
  'no-id',
  'empty',
]

/** Returns the fault that a control request describes. Throws a 400 refusal if a field is missing or invalid. */
export function parseFault(fields: Fields): FaultRule {
  const kind = faultKinds.find((known) => known === fields.kind)
  if (!kind) throw refuse.parameters(`kind is one of ${faultKinds.join(', ')}`)
  for (const name of ['token', 'method', 'to']) textOf(fields, name)
  for (const name of ['skip', 'times', 'delayMs', 'retryAfter']) numberOf(fields, name, 0, 1e9)
  if (kind === 'status' && numberOf(fields, 'status', 200, 599) === undefined)
    throw refuse.parameters('status is required')
  if (kind === 'slow' && fields.delayMs === undefined) throw refuse.parameters('delayMs is required')
  try {
    new RegExp(textOf(fields, 'path') ?? '')
  } catch {
    throw refuse.parameters('path should be a regular expression')
  }
  return fields as unknown as FaultRule // every field that is read has been checked above
}
