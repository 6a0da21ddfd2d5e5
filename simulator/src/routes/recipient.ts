import { habitOf } from '../incoming/habits.ts'
import { findGroup } from '../seed/groups.ts'
import { findNewsletter, mayPost } from '../seed/newsletters.ts'
import { type Channel, isRestricted } from '../state/channels.ts'
import { isCapped } from '../state/new-chats.ts'
import type { State } from '../state/state.ts'
import { chatIdOf, groupIdPattern, isNewsletter, isOnWhatsApp, toPattern } from '../wire/identifiers.ts'
import { type Fields, textOf } from '../wire/parameters.ts'
import { Refusal, refuse } from '../wire/refusal.ts'

/** Returns the chat id of `to`. Throws a 400 or 403 refusal where WhatsApp would not accept a message. */
export function recipientOf(state: State, channel: Channel, fields: Fields): string {
  const to = textOf(fields, 'to')
  if (!to || !toPattern.test(to)) throw refuse.parameters('to is malformed')
  const chat = chatIdOf(to)
  if (groupIdPattern.test(chat)) requireGroup(state, channel, chat)
  else if (isNewsletter(chat)) requireNewsletter(channel, chat)
  else requirePerson(state, channel, chat)
  return chat
}

function requirePerson(state: State, channel: Channel, chat: string) {
  const [number = '', domain] = chat.split('@')
  if (domain !== 's.whatsapp.net') throw refuse.parameters(`cannot send to @${domain}`)
  // Simplified: a real restricted number may still write to people in existing chats.
  if (isRestricted(channel, state.now()))
    throw new Refusal(403, 'account is restricted from starting new chats')
  if (!isOnWhatsApp(number)) throw new Refusal(400, 'invalid phone number', 'the number is not on WhatsApp')
  if (isCapped(channel, state.ledger, chat, state.now())) throw refuse.firstMessage('too many new chats')
  if (habitOf(chat)?.says === '') throw refuse.firstMessage('no token for this chat')
}

function requireGroup(state: State, channel: Channel, id: string) {
  const group = findGroup(channel.seed, id, state.groupNumbers)
  if (!group) throw new Refusal(403, 'it is forbidden to send to this group', 'not a participant')
  if (group.announcements && group.ourRank === 'member') {
    throw new Refusal(403, 'it is forbidden to send to this group', 'only admins can send messages')
  }
}

function requireNewsletter(channel: Channel, id: string) {
  const newsletter = findNewsletter(channel.seed, id)
  if (!newsletter || !mayPost(newsletter))
    throw new Refusal(403, 'it is forbidden to send to this recipient', 'only admins can post')
}
