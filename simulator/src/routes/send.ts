import type { FastifyInstance } from 'fastify'
import type { Channel } from '../state/channels.ts'
import { type Draft, kinds } from '../state/ledger.ts'
import type { State } from '../state/state.ts'
import { wireMessage } from '../wire/message.ts'
import { fieldsOf, numberOf } from '../wire/parameters.ts'
import { contentOf } from './content.ts'
import { recipientOf } from './recipient.ts'

/** Adds `POST /messages/KIND` of each kind. Whapi has no idempotency: the same request twice sends twice. */
export function sendRoutes(app: FastifyInstance, state: State): void {
  for (const type of kinds) {
    app.post(`/messages/${type}`, async ({ channel, body }) => {
      state.channels.requireSender(channel)
      const fields = fieldsOf(body)
      const to = recipientOf(state, channel, fields)
      const content = await contentOf(state, channel, type, fields)
      // The OpenAPI file has a typing time only for texts.
      if (type === 'text') await state.pause((numberOf(fields, 'typing_time', 0, 60) ?? 0) * 1000)
      return send(state, channel, { to, type, ...content })
    })
  }
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
