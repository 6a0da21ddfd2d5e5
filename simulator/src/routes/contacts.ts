import type { FastifyInstance } from 'fastify'
import { habitOf } from '../incoming/habits.ts'
import { contactAt, contactCount, findContact, lidOf, numberOf } from '../seed/people.ts'
import type { Channel } from '../state/channels.ts'
import type { State } from '../state/state.ts'
import { contactIdPattern, isOnWhatsApp } from '../wire/identifiers.ts'
import { fieldsOf, pageOf, textOf } from '../wire/parameters.ts'
import { refuse } from '../wire/refusal.ts'

/**
 * Adds the contacts of a channel, `GET /contacts` and `GET /contacts/:id`; the check whether numbers have WhatsApp,
 * `POST /contacts` and `HEAD /contacts/:id`; the LIDs of numbers, `GET /contacts/lids` and `/contacts/lids/:id`; and
 * the number of a LID, `GET /contacts/ids/:lid`.
 */
export function contactRoutes(app: FastifyInstance, state: State): void {
  const { channels } = state
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
    return Object.fromEntries(ids.filter(hasOpenLid).map((id) => [id, { lid: lidOf(channel.seed, id) }]))
  })

  app.get<{ Params: { id: string } }>('/contacts/lids/:id', async ({ channel, params }) => {
    const id = contactIdOf(params.id)
    channels.requireReader(channel)
    if (!hasOpenLid(id)) throw refuse.notFound('user')
    return { lid: lidOf(channel.seed, id) }
  })

  // The path is newer than Whapi's OpenAPI file 1.8.7; third-party clients name it.
  app.get<{ Params: { lid: string } }>('/contacts/ids/:lid', async ({ channel, params }) => {
    const lid = contactIdOf(params.lid)
    channels.requireReader(channel)
    const number = numberOf(channel.seed, lid) ?? strangerOf(state, channel, lid)
    if (!number || habitOf(number)?.hides) throw refuse.notFound('user')
    return { id: `${number}@s.whatsapp.net` }
  })
}

/** Whether the provider tells the LID of a number. */
const hasOpenLid = (id: string) => isOnWhatsApp(id) && !habitOf(id)?.hasSecretLid

/** Returns the number behind a LID, if the channel has written to that number. */
function strangerOf({ ledger }: State, { token, seed }: Channel, lid: string): string | undefined {
  const numbers = new Set(ledger.list(token).map(({ to }) => /^(\d+)@s\./.exec(to)?.[1] ?? ''))
  return [...numbers].find((number) => number && lidOf(seed, number) === lid)
}

/** Checks one number "in any standard format", as Whapi's OpenAPI file 1.8.7 puts it. Only a valid one has `wa_id`. */
function checkNumber(input: string) {
  const number = input.replace(/@.*$/, '').replace(/\D/g, '')
  // WhatsApp knows most mobile numbers of Brazil without the 9 that was put in front of them later.
  const wa_id = number.replace(/^(55[3-9]\d)9(\d{8})$/, '$1$2')
  return isOnWhatsApp(number) ? { input, status: 'valid', wa_id } : { input, status: 'invalid' }
}

/** Returns a contact id without the domain of numbers. */
function contactIdOf(id: string): string {
  if (!contactIdPattern.test(id)) throw refuse.parameters('ContactID is malformed')
  return id.replace('@s.whatsapp.net', '')
}
