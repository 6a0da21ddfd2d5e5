import type { FastifyInstance } from 'fastify'
import { isOnWhatsApp } from './identifiers.ts'
import { fieldsOf, pageOf } from './parameters.ts'
import { refuse } from './refusal.ts'
import { contactAt, contactCount } from './seed.ts'
import type { World } from './world.ts'

export function contactRoutes(app: FastifyInstance, { channels }: World): void {
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

/** Numbers come "in any standard format"; `wa_id` is there only when valid. */
function checkNumber(input: string) {
  const number = input.replace(/@.*$/, '').replace(/\D/g, '')
  return isOnWhatsApp(number) ? { input, status: 'valid', wa_id: number } : { input, status: 'invalid' }
}
