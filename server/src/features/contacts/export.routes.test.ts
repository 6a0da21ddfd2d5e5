import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import readXlsxFile from 'read-excel-file/node'
import { beforeEach, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()
const { contacts } = contract
let user: TestUser

beforeEach(async () => {
  user = await context.add.user({ canManageContacts: true })
  await context.db.run(sql`update sessions set confirmed_at = clock_now()`)
  await context.add.contactField({ key: 'city', name: 'City' })
  const form = { phoneNumbers: ['0901234567', '0912345678'], tags: ['b', 'A'], values: { city: '=1+1' } }
  await context.call(user, contacts.create, { body: { name: 'Lan', note: 'two\nlines', ...form } })
  await context.add.contact({ name: 'Minh', number: '84903333333' })
})

const csv = (body: Input<typeof contacts.exportCsv>['body']) =>
  context.call(user, contacts.exportCsv, { body })

const titles = [
  ...['Name', 'Phone number', 'Phone number 2', 'Phone number 3', 'Phone number 4', 'Phone number 5'],
  ...['Hidden number (LID)', 'Tags', 'City', 'Note', 'Created at (UTC)'],
]
const lan = ['Lan', '+84901234567', '+84912345678', '', '', '', '', 'A, b', "'=1+1", 'two\nlines']
const line = (cells: string[], separator: string) => cells.map((cell) => `"${cell}"`).join(separator)

//
test.each([
  ['vi', ';'],
  ['en', ','],
  ['cn', ','],
] as const)(
  'a file of contacts in %s has %s between its cells, and no formulas',
  async (language, separator) => {
    const { status, headers, raw } = await csv({ filter: { search: 'lan' }, language })
    expect(status).toBe(200)
    expect(headers['content-disposition']).toMatch(/filename="Contacts_\d{4}-\d\d-\d\d\.csv"/)
    const [head, first] = raw.toString().split('\r\n')
    expect(head).toBe(`\ufeff${line(titles, separator)}`)
    expect(first?.replaceAll("'+", '+')).toContain(line(lan, separator))
  },
)

//
test('an Excel file has all contacts that match, and chosen ones', async () => {
  const namesIn = async (body: Input<typeof contacts.exportXlsx>['body']) => {
    const [sheet] = await readXlsxFile((await context.call(user, contacts.exportXlsx, { body })).raw)
    return sheet?.data.slice(1).map(([name]) => name)
  }
  expect(await namesIn({ filter: {} })).toEqual(['Lan', 'Minh'])
  const { id } = await context.db.one<{ id: number }>(sql`select id from contacts where name = 'Minh'`)
  expect(await namesIn({ ids: [id] })).toEqual(['Minh'])
})

//
test('a file has each contact once, however many pages it takes', async () => {
  await context.db.run(sql`
    insert into contacts (name, numbers, source, source_name)
    select 'Many', '', 'form', 'lan' from generate_series(1, 1300)`)
  const { raw } = await csv({ filter: { search: 'many' } })
  expect(raw.toString().match(/^"Many"/gm)).toHaveLength(1300)
})

//
test('an export needs the password, and the audit log tells of it without searches and values', async () => {
  const filter = { search: 'lan', fields: [{ key: 'city', value: '=1+1' }] }
  await csv({ filter })
  await csv({ ids: [1, 2] })
  expect(
    await context.db.many(sql`select details from audit_log where action = 'contact.export' order by id`),
  ).toEqual([
    { details: { filter: { search: true, tagIds: [], fields: ['city'] } } },
    { details: { count: 2 } },
  ])
  await context.db.run(sql`update sessions set confirmed_at = 'epoch'`)
  expect(await csv({ filter })).toMatchObject({ status: 403, body: { code: 'confirm_password' } })
})
