import { expect, test } from 'vitest'
import { type Body, useSimulator } from '../../test/client.ts'
import { groupId, specialGroups } from '../index.ts'
import { groupIdPattern } from '../wire/identifiers.ts'

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

test('the pages list every group once, and the same groups each time', async () => {
  const token = simulator.linked()
  const groups = await allGroups(token)
  expect(groups).toHaveLength(320)
  expect(new Set(groups.map(({ id }) => id)).size).toBe(320)
  expect(groups.every(({ id }) => groupIdPattern.test(id))).toBe(true)
  expect(groups[9].id).toBe(groupId(token, 9))
  expect(await allGroups(token)).toEqual(groups)
  const pastEnd = await simulator.call(token, 'GET /groups?offset=320')
  expect(pastEnd.body).toEqual({ groups: [], count: 100, total: 320, offset: 320 })
})

test.each(['count=0', 'count=501', 'count=x', 'offset=-1', 'count='])(
  'a page with %s is 400',
  async (query) => {
    expect((await simulator.call(simulator.linked(), `GET /groups?${query}`)).status).toBe(400)
  },
)

test('a group lists each participant once, the channel itself included, as participants_count says', async () => {
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

test('without odd groups, a channel has groups as a shop has them, and each takes a message', async () => {
  const token = 'test_linked_shop'
  const groups = await allGroups(token)
  expect(groups).toHaveLength(320)
  expect(new Set(groups.map(({ name }) => name)).size).toBe(320)
  for (const { id, name } of groups) {
    expect(name).toMatch(/^\p{Lu}[\p{L} ]+(\p{Extended_Pictographic} )?\p{Lu}[\p{L} ]+\d*$/u)
    const { status } = await simulator.call(token, 'POST /messages/text', { to: id, body: 'Hello' })
    expect(status).toBe(200)
  }
})

test('every special group has the property that its name says', async () => {
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
