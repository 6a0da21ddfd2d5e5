import type { Channel } from './channels.ts'
import { isGroup, mix } from './identifiers.ts'
import type { LedgerEntry } from './ledger.ts'
import { findGroup, participantsOf } from './seed.ts'

/** Map by the name, never by the code; only those of delivered and read are documented. */
const statusCodes = { failed: 0, pending: 1, sent: 2, delivered: 3, read: 4 } as const
export type AckStatus = keyof typeof statusCodes

/** What becomes of a message; times in milliseconds after it was accepted. */
export interface AckPlan {
  sentMs: number
  deliveredMs: number
  readMs: number
  /** The members of a group receive it one after another over this long. */
  spreadMs: number
  /** How many of a hundred people read it. */
  readPercent: number
  /** `failed` instead of sent; `stuck` at pending for ever. */
  fate: 'normal' | 'failed' | 'stuck'
}

/** One tick after a second, two after three; a third of the people read after ten. */
export const usualPlan: AckPlan = {
  sentMs: 1000,
  deliveredMs: 3000,
  readMs: 10_000,
  spreadMs: 2000,
  readPercent: 33,
  fate: 'normal',
}

export interface WireStatus {
  id: string
  code: number
  status: AckStatus
  recipient_id: string
  viewer_id?: string
  /** Unlike every other time, that of a status is a text of seconds. */
  timestamp: string
  errors?: { code: number; message: string }[]
}

/** A status and how long after the acceptance it comes. */
export interface Ack {
  afterMs: number
  status: WireStatus
}

/** All that will be told about a message, in order. In a group, each member's ticks are apart. */
export function acksOf(channel: Channel, entry: LedgerEntry, plan: AckPlan, groupsPerChannel: number): Ack[] {
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
  for (const { viewer, lateMs, reads } of viewersOf(channel, entry, plan, groupsPerChannel)) {
    acks.push(ack(plan.deliveredMs + lateMs, 'delivered', viewer))
    if (reads) acks.push(ack(plan.readMs + lateMs, 'read', viewer))
  }
  return acks.sort((a, b) => a.afterMs - b.afterMs)
}

function viewersOf(channel: Channel, entry: LedgerEntry, plan: AckPlan, groupsPerChannel: number) {
  if (!isGroup(entry.to)) return [{ viewer: {}, lateMs: 0, reads: reads(entry, plan, 0) }]
  const group = findGroup(channel.seed, entry.to, groupsPerChannel)
  const everybody = group ? participantsOf(channel.seed, group, channel.number) : []
  return everybody
    .filter(({ id }) => id !== channel.number)
    .map(({ id }, place, others) => ({
      viewer: { viewer_id: id },
      lateMs: Math.floor((plan.spreadMs * place) / others.length),
      reads: reads(entry, plan, place),
    }))
}

/** The message's own status at that age: a group's has as many ticks as the member who is last. */
export function statusAfter(ageMs: number, entry: LedgerEntry, plan: AckPlan): AckStatus {
  if (plan.fate === 'stuck' || ageMs < plan.sentMs) return 'pending'
  if (plan.fate === 'failed') return 'failed'
  const spreadMs = isGroup(entry.to) ? plan.spreadMs : 0
  if (ageMs < plan.deliveredMs + spreadMs) return 'sent'
  const isRead = isGroup(entry.to) ? plan.readPercent >= 100 : reads(entry, plan, 0)
  return isRead && ageMs >= plan.readMs + spreadMs ? 'read' : 'delivered'
}

const reads = (entry: LedgerEntry, plan: AckPlan, place: number) =>
  mix(entry.at, place) % 100 < plan.readPercent
