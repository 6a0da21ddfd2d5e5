import { type Fields, numberOf } from '../wire/parameters.ts'
import { type AckPlan, defaultPlan } from './acks.ts'

/**
 * How the notifications of acks and incoming messages go wrong. Reads of the message stay correct.
 *
 * - `duplicates`: every notification goes out twice
 * - `reversed`: `read` comes first and `sent` last, and of several incoming messages the last one comes first
 * - `early`: all notifications go out before the send is answered
 * - `unknown`: an ack of an unknown message id comes along
 */
export const disorders = ['duplicates', 'reversed', 'early', 'unknown'] as const
type Disorder = (typeof disorders)[number]

/** The future of a message and of its notifications. */
export interface ReceiptRules extends AckPlan {
  disorders: Disorder[]
  /** Delay between an ack or an incoming message and its notification, in milliseconds. */
  lateMs: number
  /** Time until somebody who answers by habit does, in milliseconds after acceptance. */
  answerMs: number
}

/** The rules when no control request has changed them. */
export const defaultRules: ReceiptRules = { ...defaultPlan, disorders: [], lateMs: 0, answerMs: 5000 }

const fates = ['normal', 'failed', 'stuck'] as const
const dayMs = 86_400_000

/**
 * Returns the rules that a control request changes. Unknown disorders and fates are ignored. Throws a 400 refusal for
 * times outside a day and for percentages outside 0 to 100.
 */
export function parseReceiptRules(fields: Fields): Partial<ReceiptRules> {
  const times = ['sentMs', 'deliveredMs', 'readMs', 'spreadMs', 'lateMs', 'answerMs'] as const
  const rules = {
    ...Object.fromEntries(times.map((name) => [name, numberOf(fields, name, 0, dayMs)])),
    readPercent: numberOf(fields, 'readPercent', 0, 100),
    fate: fates.find((fate) => fate === fields.fate),
    disorders: Array.isArray(fields.disorders)
      ? disorders.filter((disorder) => (fields.disorders as unknown[]).includes(disorder)) // an array, see above
      : undefined,
  }
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined))
}
