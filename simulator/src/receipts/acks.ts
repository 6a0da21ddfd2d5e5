import { findGroup, type GroupNumbers, participantsOf } from '../seed/groups.ts'
import { mix } from '../seed/hash.ts'
import type { Channel } from '../state/channels.ts'
import type { LedgerEntry } from '../state/ledger.ts'
import { isGroup, isNewsletter } from '../wire/identifiers.ts'

/** Whapi's help desk documents the codes of delivered and read. The others follow WhatsApp Web's numbering. */
const statusCodes = { failed: 0, pending: 1, sent: 2, delivered: 3, read: 4 } as const
export type AckStatus = keyof typeof statusCodes

/** The future of a message. Times are milliseconds after acceptance. */
export interface AckPlan {
  sentMs: number
  deliveredMs: number
  readMs: number
  /** Group members receive the message one after another over this time. */
  spreadMs: number
  /** Share of people who read the message. */
  readPercent: number
  /** `failed`: the ack after `sentMs` is an error instead of `sent`. `stuck`: the message stays pending forever. */
  fate: 'normal' | 'failed' | 'stuck'
}

/** The plan of a message when no control request has changed the rules. */
export const defaultPlan: AckPlan = {
  sentMs: 1000,
  deliveredMs: 3000,
  readMs: 10_000,
  spreadMs: 2000,
  readPercent: 33,
  fate: 'normal',
}

/** A status as webhooks and `GET /statuses` carry it. Source: Whapi's OpenAPI file 1.8.7. */
export interface WireStatus {
  id: string
  code: number
  status: AckStatus
  recipient_id: string
  /** The group member, in digits. Missing for `sent` and in private chats. */
  viewer_id?: string
  /** Unix seconds. Unlike every other time of the API, this time is a string. */
  timestamp: string
  errors?: { code: number; message: string }[]
}

/** A status and its time in milliseconds after acceptance. */
export interface Ack {
  afterMs: number
  status: WireStatus
}

/**
 * Returns all acks of a message in order of time. In a group every member has
 * separate `delivered` and `read` acks; nobody acknowledges a post to a newsletter.
 */
export function acksOf(
  channel: Channel,
  entry: LedgerEntry,
  plan: AckPlan,
  groupNumbers: GroupNumbers,
): Ack[] {
  if (plan.fate === 'stuck') return []
  const ack = (afterMs: number, status: AckStatus, more: Partial<WireStatus> = {}): Ack => {
    const timestamp = String(Math.floor((entry.at + afterMs) / 1000))
    return {
      afterMs,
      status: { id: entry.id, code: statusCodes[status], status, recipient_id: entry.to, timestamp, ...more },
    }
  }
  if (plan.fate === 'failed')
    return [ack(plan.sentMs, 'failed', { errors: [{ code: 403, message: 'forbidden' }] })]
  const acks = [ack(plan.sentMs, 'sent')]
  if (isNewsletter(entry.to)) return acks
  for (const { viewer, lateMs, reads } of viewersOf(channel, entry, plan, groupNumbers)) {
    acks.push(ack(plan.deliveredMs + lateMs, 'delivered', viewer))
    if (reads) acks.push(ack(plan.readMs + lateMs, 'read', viewer))
  }
  return acks.sort((a, b) => a.afterMs - b.afterMs)
}

function viewersOf(channel: Channel, entry: LedgerEntry, plan: AckPlan, groupNumbers: GroupNumbers) {
  if (!isGroup(entry.to)) return [{ viewer: {}, lateMs: 0, reads: isRead(entry, plan, 0) }]
  const group = findGroup(channel.seed, entry.to, groupNumbers)
  const participants = group ? participantsOf(channel.seed, group, channel.number) : []
  return participants
    .filter(({ id }) => id !== channel.number)
    .map(({ id }, place, others) => ({
      viewer: { viewer_id: id },
      lateMs: Math.floor((plan.spreadMs * place) / others.length),
      reads: isRead(entry, plan, place),
    }))
}

/**
 * Returns the status of the message itself at an age in milliseconds. A group message is delivered or read only once
 * every member has received or read it.
 */
export function statusAfter(ageMs: number, entry: LedgerEntry, plan: AckPlan): AckStatus {
  if (plan.fate === 'stuck' || ageMs < plan.sentMs) return 'pending'
  if (plan.fate === 'failed') return 'failed'
  if (isNewsletter(entry.to)) return 'sent'
  const spreadMs = isGroup(entry.to) ? plan.spreadMs : 0
  if (ageMs < plan.deliveredMs + spreadMs) return 'sent'
  const everyoneReads = isGroup(entry.to) ? plan.readPercent >= 100 : isRead(entry, plan, 0)
  return everyoneReads && ageMs >= plan.readMs + spreadMs ? 'read' : 'delivered'
}

/** Whether the viewer at this place reads the message. The same message always gives the same answer. */
const isRead = (entry: LedgerEntry, plan: AckPlan, place: number) =>
  mix(entry.at, place) % 100 < plan.readPercent
