import { beforeEach, expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { LOCKS, lockShared } from '../../platform/database/advisory-lock.ts'
import { raw, sql } from '../../platform/database/sql.ts'
import { contacts } from './contacts.ts'
import { lookForUnused } from './unused.ts'

const context = useEngineContext()
const old = new Date('2020-01-01')

beforeEach(() => context.db.run(sql`update retention set contact_days = 40, contact_cursor = 0`))

// R-2145
test.each<{ what: string; change: string }>([
  { what: 'a list', change: 'delete from lists' },
  { what: 'a tag', change: 'delete from tags' },
  { what: 'a field', change: 'delete from contact_values; delete from contact_fields' },
  { what: 'the number', change: `update contact_identities set whatsapp_phone = '5511' where is_primary` },
])(
  'the retention waits for nobody who changes $what of a contact, and takes the others',
  async ({ change }) => {
    const { db } = context
    const contact = await context.add.contact({ changedAt: old })
    const list = await context.add.list({ contacts: [contact] })
    await db.script(`
    update list_contacts set added_at = '2020-01-01' where list_id = ${list.id};
    with tag as (insert into tags (name) values ('old') returning id)
    insert into contact_tags (contact_id, tag_id, added_at) select ${contact.id}, id, '2020-01-01' from tag;
    with field as (insert into contact_fields (key, name, type) values ('city', 'City', 'text') returning id)
    insert into contact_values (contact_id, field_id, value) select ${contact.id}, id, 'Hue' from field`)
    await db.begin(async (tx) => {
      for (const one of change.split(';')) await tx.run(raw(one))
      const other = await context.add.contact({ changedAt: old })
      await db.begin(async (slice) => {
        await slice.run(sql`set local lock_timeout = '2s'`)
        expect(await lookForUnused(slice, contacts, 100)).toEqual({ count: 1, isThrough: true })
      })
      expect(await db.many(sql`select id from contacts`)).toEqual([{ id: contact.id }])
      expect(other.id).toBeGreaterThan(contact.id)
    })

    expect(await db.begin((tx) => lookForUnused(tx, contacts, 100))).toEqual({ count: 1, isThrough: true })

    await db.script('delete from tags; delete from contact_fields; delete from lists')
  },
)

// R-2148
test('a job that is being created holds up only the look at contacts that nobody has used', async () => {
  const { db } = context
  await context.add.contact()
  const look = () =>
    db.begin(async (tx) => {
      await lockShared(tx, LOCKS.peopleOfJobs)
      return await db.begin((slice) => lookForUnused(slice, contacts, 100))
    })
  expect(await look()).toEqual({ count: 0, isThrough: true })
  await context.add.contact({ changedAt: old })
  expect(await look()).toEqual({ count: 0, isThrough: false })
})
