import type { IncomingMessage } from '../../providers/provider.ts'

/** A message to an instance. `saidAt` is by our clock (ISO 8601). */
export type Said = {
  instanceId: number
  id: string
  text: string
  saidAt: string
  quotedId: string | null
  /** As the provider tells it. */
  phone: string | null
  lid: string | null
  /** The number of whoever it seems to be while that is null: by a contact, or by our message that theirs quotes. */
  likelyPhone: string | null
  /** Whether the provider was asked for the number. Without one, the sender stays unknown then. */
  wasAsked: boolean
}

/** PostgreSQL rejects NUL. */
const withoutNul = (text: string) => text.replaceAll('\0', '')

/** `clockAheadMs` is the provider's clock minus ours. Nothing was said later than now. */
export const saidOf = (instanceId: number, message: IncomingMessage, clockAheadMs = 0): Said => ({
  instanceId,
  id: withoutNul(message.id),
  text: withoutNul(message.text),
  saidAt: new Date(Math.max(0, Math.min(message.timestamp * 1000 - clockAheadMs, Date.now()))).toISOString(),
  quotedId: message.quotedId === null ? null : withoutNul(message.quotedId),
  phone: message.senderPhone,
  lid: message.senderLid,
  likelyPhone: null,
  wasAsked: false,
})
