import { expect, test } from 'vitest'
import { type Body, useSimulator } from '../test/client.ts'
import { groupIdPattern } from './identifiers.ts'
import { groupId, specialGroups } from './index.ts'

const simulator = useSimulator()

async function allGroups(token: string): Promise<Body[]> {
  const groups: Body[] = []
  for (let total = 1; groups.length < total; ) {
    const { body } = await simulator.call(token, `GET /groups?count=150&offset=${groups.length}`)
    groups.push(...body.groups)
    total = body.total
  }
  return groups
}

test('paging meets every group once, and the same ones each time', async () => {
  const token = simulator.linked()
  const groups = await allGroups(token)
  expect(groups).toHaveLength(320)
  expect(new Set(groups.map(({ id }) => id)).size).toBe(320)
  expect(groups.every(({ id }) => groupIdPattern.test(id))).toBe(true)
  expect(groups[9].id).toBe(groupId(token, 9))
  expect(await allGroups(token)).toEqual(groups)
  const past = await simulator.call(token, 'GET /groups?offset=320')
  expect(past.body).toEqual({ groups: [], count: 100, total: 320, offset: 320 })
})

test.each(['count=0', 'count=501', 'count=x', 'offset=-1', 'count='])(
  'a page of %s is 400',
  async (query) => {
    expect((await simulator.call(simulator.linked(), `GET /groups?${query}`)).status).toBe(400)
  },
)

test('a group has as many participants as it says, each once, ourselves among them', async () => {
  const token = simulator.linked()
  const { body: health } = await simulator.call(token, 'GET /health')
  const groups = (await allGroups(token)).filter(({ participants }) => participants)
  for (const { participants, participants_count } of groups) {
    expect(participants).toHaveLength(participants_count)
    const ids = participants.map(({ id }: Body) => id)
    expect(new Set(ids).size).toBe(participants_count)
    expect(ids).toContain(health.user.id)
    expect(participants.filter(({ rank }: Body) => rank === 'creator')).toHaveLength(1)
  }
  const sizes = groups.map(({ participants_count }) => participants_count)
  expect(Math.min(...sizes)).toBeLessThan(10)
  expect(sizes.filter((size) => size >= 800).length).toBeGreaterThan(1)
  const everyone = groups.flatMap(({ participants }) => participants)
  expect(everyone.some(({ id }: Body) => id.endsWith('@lid'))).toBe(true)
  const ourRanks = everyone.filter(({ id }: Body) => id === health.user.id).map(({ rank }: Body) => rank)
  expect(new Set(ourRanks)).toEqual(new Set(['creator', 'admin', 'member']))
})

test('the special groups are as odd as their names say', async () => {
  const token = simulator.linked()
  const special = specialGroups(token)
  const get = async (id: string) =>
    (await simulator.call(token, `GET /groups/${encodeURIComponent(id)}`)).body
  expect(await get(special.announcementsOnly)).toMatchObject({ announcements: true })
  expect(await get(special.announcementsAsAdmin)).toMatchObject({ announcements: true })
  expect(await get(special.communityAnnounce)).toMatchObject({ isCommunityAnnounce: true })
  expect(await get(special.withoutParticipants)).not.toHaveProperty('participants')
  expect(await get(special.nameless)).not.toHaveProperty('name')
  expect(await get(special.legacy)).toMatchObject({ id: expect.stringMatching(/^84\d{9}-\d{10}@g\.us$/) })
  expect((await get(special.large)).participants).toHaveLength(1024)
  const hidden = (await get(special.hiddenNumbers)).participants
  expect(hidden.filter(({ id }: Body) => !id.endsWith('@lid'))).toHaveLength(1)
  expect(await get(special.left)).toMatchObject({
    error: { code: 404, message: 'specified group not found' },
  })
  expect((await allGroups(token)).map(({ id }) => id)).not.toContain(special.left)
})

test('many participants have a name in the contacts, not all', async () => {
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

test('a check tells who is on WhatsApp', async () => {
  const contacts = ['84901234567', '+84 90 123 4567', '84901230000', '0901234567']
  const { body } = await simulator.call(simulator.linked(), 'POST /contacts', { contacts })
  expect(body.contacts).toEqual([
    { input: '84901234567', status: 'valid', wa_id: '84901234567' },
    { input: '+84 90 123 4567', status: 'valid', wa_id: '84901234567' },
    { input: '84901230000', status: 'invalid' },
    { input: '0901234567', status: 'invalid' },
  ])
})
