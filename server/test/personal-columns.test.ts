import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { identifier, sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'
import { columns } from './personal-columns.ts'

const context = useContext()

/** Values of these types are no names and no text. Phone numbers are stored as text. */
const HARMLESS = ['bool', 'int2', 'int4', 'int8', 'date', 'time', 'timestamptz', 'uuid']

const TO_CLASSIFY =
  'Every column that can hold text is named once in server/test/personal-columns.ts. Can it hold a name, number or ' +
  'address of a person, or text about one? Then name it under `personal` with what it holds, and say what deletes it ' +
  'and who sees it. Otherwise name it under `other`.'

//
test('every column that can hold something about a person says what becomes of it', async () => {
  const stored = await context.db.many<{ name: string }>(sql`
    select c.relname || '.' || a.attname as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'm')
      and a.attnum > 0 and not a.attisdropped and t.typname <> all(${HARMLESS}::text[])`)
  const named = Object.entries(columns).flatMap(([table, { personal = {}, other = [] }]) =>
    [...Object.keys(personal), ...other].map((column) => `${table}.${column}`),
  )
  expect(named.toSorted(), TO_CLASSIFY).toEqual(stored.map(({ name }) => name).toSorted())
})

//
test('a table with personal columns says how long they are kept and who sees them', () => {
  const silent = Object.entries(columns).filter(
    ([, { personal, kept, shownTo }]) =>
      (personal !== undefined) !== (kept !== undefined && shownTo !== undefined),
  )
  expect(silent).toEqual([])
})

const HEAD = `# What the database knows about people

Every column that can hold a name, a number or an address of a person, or text about one. People are customers and group members, and users too. A test compares this list with the database, so nothing is missing here (\`server/test/personal-columns.ts\`).

**Settings ▸ Personal data** shows and forgets what is stored about a number: [how, and what stays](guide.md#personal-data).

Two things are outside of the database: images and other files, which are deleted with the last message or job that uses them, and backups, which have all of this until you delete them.

| table | what its columns hold | kept | seen by |
|---|---|---|---|
`

//
test('the guide for admins lists the personal columns', async () => {
  const rows = Object.entries(columns).flatMap(([table, { personal, kept, shownTo }]) => {
    if (!personal) return []
    const holds = Object.entries(personal).map(([column, what]) => `\`${column}\`: ${what}`)
    return [`| \`${table}\` | ${holds.join('<br>')} | ${kept} | ${shownTo} |\n`]
  })
  await expect(
    HEAD + rows.toSorted().join(''),
    'Run npx vitest run server/test/personal-columns.test.ts --update',
  ).toMatchFileSnapshot('../../docs/admins/personal-data.md')
})

/** The columns that have these words somewhere, of all those that are named. */
async function columnsWith(words: string): Promise<string[]> {
  const named = Object.entries(columns).flatMap(([table, { personal = {}, other = [] }]) =>
    [...Object.keys(personal), ...other].map((column) => ({ table, column })),
  )
  const found = await Promise.all(
    named.map(async ({ table, column }) => {
      const [row] = await context.db.many(sql`
        select from ${identifier(table)} where position(${words} in ${identifier(column)}::text) > 0 limit 1`)
      return row ? [`${table}.${column}`] : []
    }),
  )
  return found.flat()
}

//
test('nothing is left of a deleted contact', async () => {
  const user = await context.add.user({ canManageContacts: true })
  await context.add.contactField({ key: 'city', type: 'text' })
  const { create, update, remove } = contract.contacts
  const form = { name: 'zebra', note: 'zebra', phoneNumbers: ['0905551234'], values: { city: 'zebra' } }
  const { body: contact } = await context.call(user, create, { body: form })
  const params = { id: contact.id }
  await context.call(user, update, { params, body: { ...form, note: 'zebras', version: 1 } })
  const places = () => Promise.all([columnsWith('zebra'), columnsWith('84905551234')])
  expect(await places()).toEqual([
    ['contact_values.value', 'contacts.name', 'contacts.note', 'contacts.search_text'],
    ['contact_identities.value', 'contacts.numbers', 'contacts.search_text'],
  ])

  await context.call(user, remove, { params })

  expect(await places()).toEqual([[], []])
})
