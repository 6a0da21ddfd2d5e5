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
  const contacts = ['84901234567', '+84 90 123 4567', '84901230000', '0901234567', '5531987654321']
  const { body } = await simulator.call(simulator.linked(), 'POST /contacts', { contacts })
  expect(body.contacts).toEqual([
    { input: '84901234567', status: 'valid', wa_id: '84901234567' },
    { input: '+84 90 123 4567', status: 'valid', wa_id: '84901234567' },
    { input: '84901230000', status: 'invalid' },
    { input: '0901234567', status: 'invalid' },
    { input: '5531987654321', status: 'valid', wa_id: '553187654321' },
  ])
})

test('the check of one number says whether it has WhatsApp', async () => {
  const token = simulator.linked()
  const statusOf = async (id: string) => (await simulator.call(token, `HEAD /contacts/${id}`)).status
  expect(await Promise.all(['84901234567', '84901230000', 'nobody'].map(statusOf))).toEqual([200, 404, 400])
})

/** Every contact of a channel. */
async function allContacts(token: string): Promise<Body[]> {
  const pages = await Promise.all(
    Array.from({ length: 9 }, (_, page) =>
      simulator.call(token, `GET /contacts?count=500&offset=${page * 500}`),
    ),
  )
  return pages.flatMap(({ body }) => body.contacts)
}

test('contacts are numbers without a name, names in the address book, and LIDs of those who hide their number', async () => {
  const contacts = await allContacts(simulator.linked())
  const kindOf = ({ id, name, pushname, saved }: Body) => ({
    isLid: id.endsWith('@lid'),
    hasName: name !== '',
    hasOwnName: pushname !== '',
    saved,
  })
  const kinds = Object.values(Object.groupBy(contacts, (contact) => JSON.stringify(kindOf(contact))))
  expect(kinds.map((all = []) => ({ ...kindOf(all[0]), count: all.length }))).toEqual([
    { isLid: false, hasName: false, hasOwnName: false, saved: false, count: 818 },
    { isLid: false, hasName: true, hasOwnName: true, saved: true, count: 2863 },
    { isLid: true, hasName: false, hasOwnName: true, saved: false, count: 409 },
  ])
  expect(new Set(contacts.map(({ id }) => id)).size).toBe(4090)
})

test('a hidden member has the LID of a contact, and the one that a number is asked for', async () => {
  const token = simulator.linked()
  const { body: page } = await simulator.call(token, 'GET /groups?count=20')
  const members = page.groups.flatMap(({ participants = [] }: Body) => participants.map(({ id }: Body) => id))
  const hidden = new Set(members.filter((id: string) => id.endsWith('@lid')))
  const contacts = await allContacts(token)
  const known = contacts.find(({ id }) => hidden.has(id))
  expect((await simulator.call(token, `GET /contacts/${known.id}`)).body).toEqual(known)

  const numbers = contacts.map(({ id }) => id).filter((id) => !id.endsWith('@lid'))
  const lids = new Set<string>()
  for (let from = 0; from < numbers.length; from += 1000) {
    const list = numbers.slice(from, from + 1000).join()
    const { body } = await simulator.call(token, `GET /contacts/lids?ContactIDList=${list}`)
    for (const { lid } of Object.values<Body>(body)) lids.add(lid)
  }
  expect(lids.size).toBe(numbers.length)
  expect([...lids].some((lid) => hidden.has(lid))).toBe(true)
})
