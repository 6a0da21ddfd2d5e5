import { expect, test } from 'vitest'
import { type Body, useSimulator } from '../../test/client.ts'
import { specialGroups } from '../index.ts'

const simulator = useSimulator()

test('more than half of the participants have a name in the contacts, but not all', async () => {
  const token = simulator.linked()
  const named = new Set<string>()
  for (let offset = 0, total = 1; offset < total; offset += 500) {
    const { body } = await simulator.call(token, `GET /contacts?count=500&offset=${offset}`)
    for (const { id, name } of body.contacts) if (name) named.add(id)
    total = body.total
  }
  const { body: large } = await simulator.call(token, `GET /groups/${specialGroups(token).large}`)
  const share = large.participants.filter(({ id }: Body) => named.has(id)).length / 1024
  expect(share).toBeGreaterThan(0.5)
  expect(share).toBeLessThan(0.9)
})

test('a check finds the numbers that have WhatsApp', async () => {
  const contacts = ['84901234567', '+84 90 123 4567', '84901230000', '0901234567']
  const { body } = await simulator.call(simulator.linked(), 'POST /contacts', { contacts })
  expect(body.contacts).toEqual([
    { input: '84901234567', status: 'valid', wa_id: '84901234567' },
    { input: '+84 90 123 4567', status: 'valid', wa_id: '84901234567' },
    { input: '84901230000', status: 'invalid' },
    { input: '0901234567', status: 'invalid' },
  ])
})
