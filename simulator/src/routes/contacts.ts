import type { FastifyInstance } from 'fastify'
import { contactAt, contactCount } from '../seed/people.ts'
import type { State } from '../state/state.ts'
import { isOnWhatsApp } from '../wire/identifiers.ts'
import { fieldsOf, pageOf } from '../wire/parameters.ts'
import { refuse } from '../wire/refusal.ts'

/** Adds `GET /contacts` (the contact list) and `POST /contacts` (the check whether numbers have WhatsApp). */
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
}

/** Checks one number "in any standard format", as Whapi's OpenAPI file 1.8.7 puts it. Only a valid one has `wa_id`. */
function checkNumber(input: string) {
  const number = input.replace(/@.*$/, '').replace(/\D/g, '')
  return isOnWhatsApp(number) ? { input, status: 'valid', wa_id: number } : { input, status: 'invalid' }
}
