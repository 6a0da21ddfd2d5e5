import { isGroup, isNewsletter } from '../wire/identifiers.ts'
import type { CapStatus, Channel } from './channels.ts'
import type { Ledger } from './ledger.ts'

/** WhatsApp's limit of people that a channel writes to first. Times are Unix seconds. */
interface NewChats {
  status: CapStatus
  quota: number
  used: number
  cycleStart: number
  cycleEnd: number
}

const cycleSeconds = 30 * 86_400

/**
 * Returns the limit of a channel at a time in milliseconds on the provider's clock, or null if WhatsApp reports none.
 * Whoever answers no longer counts. The shares of the warnings are guesses: WhatsApp does not publish them.
 */
export function newChatsOf(channel: Channel, ledger: Ledger, now: number): NewChats | null {
  const { newChatQuota: quota, newChatStatus: forced } = channel
  if (quota === null) return null
  const cycle = cycleOf(channel, now / 1000)
  const used = countUnanswered(channel, ledger, cycle.cycleStart * 1000)
  const isForced = forced !== null && (!channel.newChatUntil || now < channel.newChatUntil * 1000)
  return { quota, used, ...cycle, status: isForced ? forced : statusOf(used / quota) }
}

/** Whether WhatsApp refuses a message to this chat, because the channel has written to too many new people. */
export function isCapped(channel: Channel, ledger: Ledger, chat: string, now: number): boolean {
  if (channel.newChatQuota === null || ledger.list(channel.token, chat).length > 0) return false
  return newChatsOf(channel, ledger, now)?.status === 'capped'
}

function statusOf(share: number): CapStatus {
  if (share >= 1) return 'capped'
  return share >= 0.9 ? 'second_warning' : share >= 0.8 ? 'first_warning' : 'none'
}

/** A cycle ends with the month (UTC), or at `newChatUntil`. */
function cycleOf({ newChatUntil }: Channel, now: number) {
  if (newChatUntil > 0) {
    const cycleStart = now < newChatUntil ? newChatUntil - cycleSeconds : newChatUntil
    return { cycleStart, cycleEnd: cycleStart + cycleSeconds }
  }
  const date = new Date(now * 1000)
  const monthAt = (offset: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset) / 1000
  return { cycleStart: monthAt(0), cycleEnd: monthAt(1) }
}

function countUnanswered(channel: Channel, ledger: Ledger, from: number): number {
  const chats = new Map<string, boolean>()
  for (const { to, at, from: author } of ledger.list(channel.token)) {
    if (isGroup(to) || isNewsletter(to)) continue
    if (author !== undefined) chats.set(to, false)
    else if (!chats.has(to)) chats.set(to, at >= from)
  }
  return [...chats.values()].filter(Boolean).length
}
