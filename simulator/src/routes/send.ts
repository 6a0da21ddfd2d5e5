import type { FastifyInstance } from 'fastify'
import { habitOf } from '../incoming/habits.ts'
import { findGroup } from '../seed/groups.ts'
import { type Channel, isRestricted } from '../state/channels.ts'
import type { Draft, MediaInfo } from '../state/ledger.ts'
import { decodeMedia, imageMime } from '../state/media.ts'
import { isCapped } from '../state/new-chats.ts'
import type { State } from '../state/state.ts'
import { chatIdOf, groupIdPattern, isOnWhatsApp, mediaIdPattern, toPattern } from '../wire/identifiers.ts'
import { wireMessage } from '../wire/message.ts'
import { booleanOf, type Fields, fieldsOf, numberOf, textOf } from '../wire/parameters.ts'
import { Refusal, refuse } from '../wire/refusal.ts'

/** WhatsApp's own limit for one text, in UTF-16 code units. */
const maxTextLength = 65_536

/**
 * Adds `POST /messages/text` and `POST /messages/image`. Whapi has no idempotency: the same request twice sends
 * twice.
 */
export function sendRoutes(app: FastifyInstance, state: State): void {
  const { channels } = state

  app.post('/messages/text', async ({ channel, body: form }) => {
    channels.requireSender(channel)
    const fields = fieldsOf(form)
    const to = recipientOf(state, channel, fields)
    const body = textOf(fields, 'body')
    if (!body) throw refuse.parameters('body is required')
    if (body.length > maxTextLength) throw new Refusal(413, 'request body too large')
    const link = booleanOf(fields, 'no_link_preview') ? undefined : linkIn(body)
    const typingSeconds = numberOf(fields, 'typing_time', 0, 60) ?? 0
    await state.pause(typingSeconds * 1000)
    return send(state, channel, { to, type: 'text', body, ...(link ? { link } : {}) })
  })

  app.post('/messages/image', async ({ channel, body: form }) => {
    channels.requireSender(channel)
    const fields = fieldsOf(form)
    const to = recipientOf(state, channel, fields)
    const caption = textOf(fields, 'caption')
    const { id, sha256, size, mime } = imageOf(state, channel, fields.media)
    return send(state, channel, { to, type: 'image', caption, media: { id, sha256, size, mime } })
  })
}

/** Records the message, then answers after the latency. A real network leaves the same gap between the two. */
async function send(state: State, channel: Channel, draft: Omit<Draft, 'token' | 'source'>) {
  const entry = state.ledger.accept({ token: channel.token, source: 'api', ...draft }, state.now())
  state.receipts.fixRules(entry)
  const message = wireMessage(state.receipts, channel, entry, entry.at)
  void state.webhooks.notify(channel, { type: 'messages', verb: 'post', payload: { messages: [message] } })
  state.incoming.answer(channel, entry, 0)
  await state.receipts.schedule(channel, entry, 0)
  await state.pause(state.sendLatencyMs)
  return { sent: true, message }
}

/** Returns the chat id of `to`. Throws a 400 or 403 refusal where WhatsApp would not accept a message. */
function recipientOf(state: State, channel: Channel, fields: Fields): string {
  const to = textOf(fields, 'to')
  if (!to || !toPattern.test(to)) throw refuse.parameters('to is malformed')
  const chat = chatIdOf(to)
  if (groupIdPattern.test(chat)) {
    requireGroup(state, channel, chat)
    return chat
  }
  const [number = '', domain] = chat.split('@')
  if (domain !== 's.whatsapp.net') throw refuse.parameters(`cannot send to @${domain}`)
  // Simplified: a real restricted number may still write to people in existing chats.
  if (isRestricted(channel, state.now()))
    throw new Refusal(403, 'account is restricted from starting new chats')
  if (!isOnWhatsApp(number)) throw new Refusal(400, 'invalid phone number', 'the number is not on WhatsApp')
  if (isCapped(channel, state.ledger, chat, state.now())) throw refuse.firstMessage('too many new chats')
  if (habitOf(chat)?.says === '') throw refuse.firstMessage('no token for this chat')
  return chat
}

function requireGroup(state: State, channel: Channel, id: string) {
  const group = findGroup(channel.seed, id, state.groupNumbers)
  if (!group) throw new Refusal(403, 'it is forbidden to send to this group', 'not a participant')
  if (group.announcements && group.ourRank === 'member') {
    throw new Refusal(403, 'it is forbidden to send to this group', 'only admins can send messages')
  }
}

/** Returns the image of a send. `value` is a media id, a data URI, bare base64 or the file part of a form. */
function imageOf({ media }: State, channel: Channel, value: unknown): MediaInfo {
  if (typeof value === 'string' && mediaIdPattern.test(value)) {
    const file = media.find(channel.token, value)
    if (!file.mime.startsWith('image/')) throw new Refusal(415, 'unsupported media type')
    return file
  }
  if (!value || !(typeof value === 'string' || Buffer.isBuffer(value)))
    throw refuse.parameters('media is required')
  const bytes = Buffer.isBuffer(value) ? value : decodeMedia(value)
  const mime = imageMime(bytes)
  if (!mime) throw new Refusal(415, 'unsupported media type')
  return media.store(channel.token, bytes, mime)
}

/** Returns the first link of a text. WhatsApp previews that link unless the send asks for no preview. */
function linkIn(body: string): string | undefined {
  const link = body.match(/https?:\/\/\S+/)?.[0]
  return link && URL.canParse(link) ? link : undefined
}
