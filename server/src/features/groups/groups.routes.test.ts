import { contract } from '@sendroom/contract'
import readXlsxFile from 'read-excel-file/node'
import { describe, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { sql, values } from '../../platform/database/sql.ts'

const context = useContext()
const { groups } = contract

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
})
