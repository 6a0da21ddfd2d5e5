import type { FastifyInstance } from 'fastify'
import { contactAt, contactCount, findContact, lidOf } from '../seed/people.ts'
import type { State } from '../state/state.ts'
import { contactIdPattern, isOnWhatsApp } from '../wire/identifiers.ts'
import { fieldsOf, pageOf, textOf } from '../wire/parameters.ts'
import { refuse } from '../wire/refusal.ts'

/**
 * Adds the contacts of a channel, `GET /contacts` and `GET /contacts/:id`; the check whether numbers have WhatsApp,
 * `POST /contacts` and `HEAD /contacts/:id`; and the LIDs of numbers, `GET /contacts/lids` and `/contacts/lids/:id`.
 */
export function contactRoutes(app: FastifyInstance, { channels }: State): void {
  app.get('/contacts', async ({ channel, query }) => {
    const { count, offset } = pageOf(query)
    channels.requireReader(channel)
    const length = Math.max(0, Math.min(count, contactCount - offset))
    const contacts = Array.from({ length }, (_, i) => contactAt(channel.seed, offset + i))
    return { contacts, count, total: contactCount, offset }
  })

  app.post('/contacts', async ({ channel, body }) => {
    channels.requireSender(channel)
    const { contacts } = fieldsOf(body)
    if (!Array.isArray(contacts)) throw refuse.parameters('contacts should be array')
    return { contacts: contacts.map((contact) => checkNumber(String(contact))) }
  })

  app.head<{ Params: { id: string } }>('/contacts/:id', async ({ channel, params }, reply) => {
    const id = contactIdOf(params.id)
    channels.requireSender(channel)
    return reply.code(isOnWhatsApp(id) ? 200 : 404).send()
  })

  // The HEAD above asks something else than whether this contact exists.
  app.get<{ Params: { id: string } }>(
    '/contacts/:id',
    { exposeHeadRoute: false },
    async ({ channel, params }) => {
      const id = contactIdOf(params.id)
      channels.requireReader(channel)
      const contact = findContact(channel.seed, id)
      if (!contact) throw refuse.notFound('contact')
      return contact
    },
  )

  app.get('/contacts/lids', async ({ channel, query }) => {
    const ids = (textOf(fieldsOf(query), 'ContactIDList') ?? '').split(',').map(contactIdOf)
    channels.requireReader(channel)
    return Object.fromEntries(ids.filter(isOnWhatsApp).map((id) => [id, { lid: lidOf(channel.seed, id) }]))
  })

  app.get<{ Params: { id: string } }>('/contacts/lids/:id', async ({ channel, params }) => {
    const id = contactIdOf(params.id)
    channels.requireReader(channel)
    if (!isOnWhatsApp(id)) throw refuse.notFound('user')
    return { lid: lidOf(channel.seed, id) }
  })
}

/** Checks one number "in any standard format", as Whapi's OpenAPI file 1.8.7 puts it. Only a valid one has `wa_id`. */
function checkNumber(input: string) {
  const number = input.replace(/@.*$/, '').replace(/\D/g, '')
  return isOnWhatsApp(number) ? { input, status: 'valid', wa_id: number } : { input, status: 'invalid' }
}

/** Returns a contact id without the domain of numbers. */
function contactIdOf(id: string): string {
  if (!contactIdPattern.test(id)) throw refuse.parameters('ContactID is malformed')
  return id.replace('@s.whatsapp.net', '')
}
