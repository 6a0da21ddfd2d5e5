import { contract } from '@sendroom/contract'
import readXlsxFile from 'read-excel-file/node'
import { describe, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { sql, values } from '../../platform/database/sql.ts'

const context = useContext()
const { groups } = contract

//
test('Members see only the groups of their instances', async () => {
  const mine = await context.add.instance({ name: 'Mine' })
  await context.add.group({
    instanceId: mine.id,
    name: 'A',
    participantCount: 3,
    leftAt: '2026-01-01T00:00:00Z',
    canSend: false,
  })
  await context.add.group({ name: 'Not mine' })
  const member = await context.add.user({ instances: [mine] })

  const { body } = await context.call(member, groups.list, {})

  expect(body.pagination.totalCount).toBe(1)
  expect(body.data).toMatchObject([
    {
      name: 'A',
      participantCount: 3,
      lastSyncAt: null,
      hasLeft: true,
      isClosed: true,
      instance: { id: mine.id, name: 'Mine' },
    },
  ])
  expect((await context.call(await context.add.admin(), groups.list, {})).body.pagination.totalCount).toBe(2)
})

//
test('the search by name ignores case and takes % and _ literally', async () => {
  const admin = await context.add.admin()
  for (const name of ['Khách hàng 100%', 'Khách hàng 1000', 'team_a', 'teamXa'])
    await context.add.group({ name })
  const search = async (search: string) =>
    (await context.call(admin, groups.search, { body: { search } })).body.data.map(({ name }) => name)

  expect(await search('100%')).toEqual(['Khách hàng 100%'])
  expect(await search('TEAM_')).toEqual(['team_a'])
  expect(await search('khách')).toHaveLength(2)
  expect(await search('khach hang 1000')).toEqual(['Khách hàng 1000'])
  expect(await search('nothing')).toEqual([])
})

//
test('a search in some instances finds no groups of others', async () => {
  const [first, second] = [await context.add.instance(), await context.add.instance()]
  const hidden = await context.add.instance()
  for (const { id } of [first, second, hidden]) await context.add.group({ instanceId: id, name: `of ${id}` })
  const member = await context.add.user({ instances: [first, second] })
  const search = async (instanceIds: number[]) =>
    (await context.call(member, groups.search, { body: { instanceIds } })).body.data.map(
      ({ instance }) => instance.id,
    )

  expect(await search([])).toEqual([first.id, second.id])
  expect(await search([second.id])).toEqual([second.id])
  expect(await search([hidden.id])).toEqual([])
})

test.each(['id', 'name', 'participantCount', 'lastSyncAt'] as const)(
  //
  'the list sorts by %s, page after page',
  async (sortBy) => {
    const admin = await context.add.admin()
    const { id: instanceId } = await context.add.instance()
    for (const name of ['a', 'b', 'c']) await context.add.group({ instanceId, name })
    const page = async (page: number) =>
      (
        await context.call(admin, groups.list, {
          query: { sortBy, sortDirection: 'desc', page, pageSize: 2 },
        })
      ).body.data

    expect([...(await page(1)), ...(await page(2))].map(({ name }) => name)).toEqual(['c', 'b', 'a'])
  },
)

test('invalid queries are refused by field, and every call needs a session', async () => {
  const admin = await context.add.admin()

  const wrong = await context.call(admin, groups.list, { query: { sortBy: 'chatId' as never, pageSize: 0 } })
  const wrongBody = await context.call(admin, groups.search, { body: { instanceIds: ['x'] as never } })

  expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  expect(Object.keys(wrong.body.error)).toEqual(['pageSize', 'sortBy'])
  expect(wrongBody.status).toBe(400)
  expect((await context.call(null, groups.list, {})).status).toBe(401)
  expect((await context.call(null, groups.search, { body: {} })).status).toBe(401)
})

describe('the export of participants', () => {
  async function groupOf(name: string, people: [string, string | null, string][]) {
    const group = await context.add.group({ name })
    for (const [personId, person, rank] of people)
      await context.db.run(
        sql`insert into participants ${values({ groupId: group.id, personId, name: person, rank })}`,
      )
    return group
  }
  const admin = () => context.add.admin()

  //
  test('has one row for each, and no text becomes a formula', async () => {
    const group = await groupOf('Nhóm bán hàng', [
      ['84901111111', '=1+1', 'member'],
      ['84902222222', '+cmd', 'member'],
      ['84903333333', '-2', 'member'],
      ['84904444444', '@sum(A1)', 'member'],
      ['84905555555', 'Lê Thị Lan 🌸 <&>', 'creator'],
      ['84906666666', null, 'admin'],
      ['123456789012345@lid', 'Hidden', 'member'],
    ])

    const answer = await context.call(await admin(), groups.exportParticipants, { params: group })

    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe(groups.exportParticipants.download)
    const [sheet] = await readXlsxFile(answer.raw)
    expect(sheet?.data).toEqual([
      ['Name', 'Phone number', 'Role'],
      ['Lê Thị Lan 🌸 <&>', '+84905555555', 'owner'],
      [null, '+84906666666', 'admin'],
      ['+cmd', '+84902222222', 'member'],
      ['-2', '+84903333333', 'member'],
      ['=1+1', '+84901111111', 'member'],
      ['@sum(A1)', '+84904444444', 'member'],
      ['Hidden', '123456789012345@lid (hidden number)', 'member'],
    ])
  })

  //
  test('has a file name with the group and the day in Vietnam', async () => {
    await context.db.script(`
      create or replace function clock_now() returns timestamptz language sql stable
      as $$ select timestamptz '2026-03-04 18:00Z' $$`)
    const group = await groupOf('Nhóm A/B: "vui" 🌸', [])
    const user = await admin()
    await context.db.run(sql`update sessions set expires_at = '2030-01-01'`)

    const { headers } = await context.call(user, groups.exportParticipants, { params: group })

    const disposition = String(headers['content-disposition'])
    expect(disposition).toMatch(/^attachment; filename="Participants_Nhom A_B_ _vui_ _+_2026-03-05\.xlsx"; /)
    expect(decodeURIComponent(disposition.split("filename*=UTF-8''")[1] ?? '')).toBe(
      'Participants_Nhóm A_B_ _vui_ 🌸_2026-03-05.xlsx',
    )
  })

  test('is not found by users who do not see the group', async () => {
    const group = await groupOf('A', [])
    const member = await context.add.user()
    const ask = async (user: typeof member | null, id: number) =>
      (await context.call(user, groups.exportParticipants, { params: { id } })).status

    expect(await ask(member, group.id)).toBe(404)
    expect(await ask(await admin(), 987_654)).toBe(404)
    expect(await ask(null, group.id)).toBe(401)
  })
})
