import type { FastifyInstance } from 'fastify'
import { findNewsletter, type Newsletter, newslettersOf } from '../seed/newsletters.ts'
import type { Channel } from '../state/channels.ts'
import type { State } from '../state/state.ts'
import { newsletterIdPattern } from '../wire/identifiers.ts'
import { wireMessage } from '../wire/message.ts'
import { fieldsOf, numberOf, pageOf } from '../wire/parameters.ts'
import { refuse } from '../wire/refusal.ts'

/** Adds `GET /newsletters`, `GET /newsletters/:id` and `GET /newsletters/:id/messages`. */
export function newsletterRoutes(app: FastifyInstance, state: State): void {
  const { channels, ledger, receipts } = state

  app.get('/newsletters', async ({ channel, query }) => {
    const { count, offset } = pageOf(query)
    channels.requireReader(channel)
    const all = newslettersOf(channel.seed)
    const newsletters = all.slice(offset, offset + count).map(wireNewsletter)
    return { newsletters, count, total: all.length, offset }
  })

  app.get<{ Params: { id: string } }>('/newsletters/:id', async ({ channel, params }) =>
    wireNewsletter(newsletterOf(state, channel, params.id)),
  )

  // The newest first. Every post has a number, from 1 on; `before` and `after` are such numbers. The file only says
  // "see first and last", so the numbers and the order are guesses.
  app.get<{ Params: { id: string } }>('/newsletters/:id/messages', async ({ channel, params, query }) => {
    const fields = fieldsOf(query)
    const { count } = pageOf({ ...fields, offset: 0 })
    const before = numberOf(fields, 'before', 0, Number.MAX_SAFE_INTEGER) ?? Number.MAX_SAFE_INTEGER
    const after = numberOf(fields, 'after', 0, Number.MAX_SAFE_INTEGER) ?? 0
    const { id } = newsletterOf(state, channel, params.id)
    const posts = ledger.list(channel.token, id).map((entry, index) => ({ entry, number: index + 1 }))
    const found = posts.filter(({ number }) => number < before && number > after)
    const shown = found.slice(-count).reverse()
    const now = state.now()
    return {
      messages: shown.map(({ entry }) => wireMessage(receipts, channel, entry, now)),
      count: shown.length,
      total: posts.length,
      offset: 0,
      first: shown.at(-1)?.number ?? 0,
      last: shown[0]?.number ?? 0,
    }
  })
}

function newsletterOf({ channels }: State, channel: Channel, id: string): Newsletter {
  if (!newsletterIdPattern.test(id)) throw refuse.parameters('NewsletterID is malformed')
  channels.requireReader(channel)
  const newsletter = findNewsletter(channel.seed, id)
  if (!newsletter) throw refuse.notFound('newsletter')
  return newsletter
}

const wireNewsletter = ({ id, name, description, role, subscribers, createdAt }: Newsletter) => ({
  ...{ id, name, description, role, type: 'newsletter' },
  ...{ subscribers_count: subscribers, created_at: createdAt, name_at: createdAt, timestamp: createdAt },
})
