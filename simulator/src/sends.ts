import type { FastifyInstance } from 'fastify'
import { type Channel, isRestricted } from './channels.ts'
import { chatIdOf, groupIdPattern, isOnWhatsApp, mediaIdPattern, toPattern } from './identifiers.ts'
import type { Draft, MediaMark } from './ledger.ts'
import { decodeMedia, imageMime } from './media.ts'
import { wireMessage } from './messages.ts'
import { booleanOf, type Fields, fieldsOf, numberOf, textOf } from './parameters.ts'
import { Refusal, refuse } from './refusal.ts'
import { findGroup } from './seed.ts'
import type { World } from './world.ts'

/** WhatsApp's own limit for one text. */
const maxTextLength = 65_536

/** There is no idempotency: the same request twice is two messages. */
export function sendRoutes(app: FastifyInstance, world: World): void {
  const { channels } = world

  app.post('/messages/text', async ({ channel, body: form }) => {
    channels.requireSender(channel)
    const fields = fieldsOf(form)
    const to = recipientOf(world, channel, fields)
    const body = textOf(fields, 'body')
    if (!body) throw refuse.parameters('body is required')
    if (body.length > maxTextLength) throw new Refusal(413, 'request body too large')
    const link = booleanOf(fields, 'no_link_preview') ? undefined : linkIn(body)
    const typingSeconds = numberOf(fields, 'typing_time', 0, 60) ?? 0
    await world.pause(typingSeconds * 1000)
    return send(world, channel, { to, type: 'text', body, ...(link ? { link } : {}) })
  })

  app.post('/messages/image', async ({ channel, body: form }) => {
    channels.requireSender(channel)
    const fields = fieldsOf(form)
    const to = recipientOf(world, channel, fields)
    const caption = textOf(fields, 'caption')
    const { id, sha256, size, mime } = imageOf(world, channel, fields.media)
    return send(world, channel, { to, type: 'image', caption, media: { id, sha256, size, mime } })
  })
}

/** Recorded first, answered after the latency: what a real network leaves open between the two. */
async function send(world: World, channel: Channel, draft: Omit<Draft, 'token' | 'source'>) {
  const entry = world.ledger.accept({ token: channel.token, source: 'api', ...draft }, world.now())
  world.receipts.decide(entry)
  const message = wireMessage(world, channel, entry, entry.at)
  void world.webhooks.tell(channel, { type: 'messages', verb: 'post', payload: { messages: [message] } })
  await world.receipts.follow(channel, entry, 0)
  await world.pause(world.sendLatencyMs)
  return { sent: true, message }
}

/** The chat of `to`; refuses where WhatsApp would not let us write. */
function recipientOf(world: World, channel: Channel, fields: Fields): string {
  const to = textOf(fields, 'to')
  if (!to || !toPattern.test(to)) throw refuse.parameters('to is malformed')
  const chat = chatIdOf(to)
  if (groupIdPattern.test(chat)) {
    requireGroup(world, channel, chat)
    return chat
  }
  const [number = '', domain] = chat.split('@')
  if (domain !== 's.whatsapp.net') throw refuse.parameters(`cannot send to @${domain}`)
  // To people it has written to before it still may, which is not played here.
  if (isRestricted(channel, world.now()))
    throw new Refusal(403, 'account is restricted from starting new chats')
  if (!isOnWhatsApp(number)) throw new Refusal(400, 'invalid phone number', 'the number is not on WhatsApp')
  return chat
}

function requireGroup(world: World, channel: Channel, id: string) {
  const group = findGroup(channel.seed, id, world.groupsPerChannel)
  if (!group) throw new Refusal(403, 'it is forbidden to send to this group', 'not a participant')
  if (group.announcements && group.ourRank === 'member') {
    throw new Refusal(403, 'it is forbidden to send to this group', 'only admins can send messages')
  }
}

/** `media` as a media id, a data URI, bare base64, or the file part of a form. */
function imageOf({ media }: World, channel: Channel, given: unknown): MediaMark {
  if (typeof given === 'string' && mediaIdPattern.test(given)) {
    const mark = media.find(channel.token, given)
    if (!mark.mime.startsWith('image/')) throw new Refusal(415, 'unsupported media type')
    return mark
  }
  if (!given || !(typeof given === 'string' || Buffer.isBuffer(given)))
    throw refuse.parameters('media is required')
  const bytes = Buffer.isBuffer(given) ? given : decodeMedia(given)
  const mime = imageMime(bytes)
  if (!mime) throw new Refusal(415, 'unsupported media type')
  return media.store(channel.token, bytes, mime)
}

/** The first link in a text, for which WhatsApp shows a preview unless told not to. */
function linkIn(body: string): string | undefined {
  const link = body.match(/https?:\/\/\S+/)?.[0]
  return link && URL.canParse(link) ? link : undefined
}
