import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { beforeEach, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { countWaiting } from '../../../test/locks.ts'
import { matches } from '../../platform/contacts/filter.ts'
import { sql } from '../../platform/database/sql.ts'
import { replaceNumbers } from './contacts.queries.ts'

const context = useContext()
const { contacts } = contract
let user: TestUser

beforeEach(async () => {
  user = await context.add.user({ canManageContacts: true })
})

const bulkTag = (ids: number[], add: string[], remove: string[] = []) =>
  context.call(user, contacts.bulkTag, { body: { ids, add, remove } })
const change = (id: number, body: Input<typeof contacts.update>['body']) =>
  context.call(user, contacts.update, { params: { id }, body })
const tagsOf = async (id: number) =>
  (await context.call(user, contacts.get, { params: { id } })).body.tags.map(({ name }) => name)

/** Runs `work` while a transaction holds locks, until `work` waits for one of them. */
async function meanwhile<T>(hold: Parameters<typeof context.db.run>[0], work: () => Promise<T>): Promise<T> {
  let started: Promise<T> | undefined
  await context.db.begin(async (tx) => {
    await tx.run(hold)
    started = work()
    await expect.poll(() => countWaiting(context.db)).toBe(1)
  })
  return await (started as Promise<T>) // set in the transaction
}

//
test('a form that is saved leaves the tags that a bulk call has changed meanwhile', async () => {
  const { id, number } = await context.add.contact()
  await bulkTag([id], ['old', 'gone'])
  const form = { phoneNumbers: [`+${number}`], addTags: ['new'], removeTags: ['old'], version: 1 }
  await bulkTag([id], ['bulk'], ['gone'])

  expect((await change(id, form)).body.tags.map(({ name }) => name)).toEqual(['bulk', 'new'])
})

//
test('a form and a bulk call that make tags at once do not wait for each other', async () => {
  const { id, number } = await context.add.contact()
  for (let n = 0; n < 5; n++) {
    const answers = await Promise.all([
      change(id, { phoneNumbers: [`+${number}`], addTags: [`form ${n}`] }),
      bulkTag([id], [`bulk ${n}`]),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  }
  expect(await tagsOf(id)).toHaveLength(10)
})

//
test('a tag that is deleted while a contact gets it is made again', async () => {
  const { id } = await context.add.contact()
  await bulkTag([id], ['vip'])
  const tagged = await meanwhile(sql`delete from tags`, () => bulkTag([id], ['VIP']))

  expect(tagged.body).toEqual({ count: 1, hasMore: false })
  expect(await tagsOf(id)).toEqual(['VIP'])
})

//
test('a number whose contact is deleted while another contact gets it is refused, not lost', async () => {
  const [mine, other] = [await context.add.contact(), await context.add.contact()]
  const remove = () =>
    context.call(user, contacts.remove, { params: { id: other.id } }).then(({ status }) => status)

  const taken = await context.db.begin((tx) => {
    let isFirst = true
    // Deletes the other contact between the first two statements.
    const run: typeof tx.run = async (statement) => {
      const count = await tx.run(statement)
      if (isFirst) expect(await remove()).toBe(204)
      isFirst = false
      return count
    }
    return replaceNumbers({ ...tx, run }, mine.id, [other.number])
  })

  expect(taken).toBe(other.number)
})

//
test('a contact has 50 tags at most, by a form and by bulk', async () => {
  const [full, other] = [await context.add.contact(), await context.add.contact()]
  const names = Array.from({ length: 50 }, (_, n) => `t${n}`)
  expect((await bulkTag([full.id], names)).status).toBe(200)

  const refused = { status: 409, body: { code: 'contact_tags_full' } }
  expect(await bulkTag([other.id, full.id], ['more'])).toMatchObject(refused)
  expect(await change(full.id, { phoneNumbers: [`+${full.number}`], addTags: ['more'] })).toMatchObject(
    refused,
  )
  expect(await tagsOf(other.id)).toEqual([])
  expect((await bulkTag([full.id], ['more'], ['t0'])).status).toBe(200)
})

//
test('a contact that is known by a hidden number only can be changed, but needs that or a number', async () => {
  const { id, number } = await context.add.contact()
  expect(await change(id, { name: 'Lan', phoneNumbers: [] })).toMatchObject({
    status: 400,
    body: { fields: { phoneNumbers: 'CONTACT_FORM.PHONES_INVALID' } },
  })
  await context.db.run(sql`insert into contact_identities values ('lid', '123456789', ${id})`)

  const hidden = (await change(id, { name: 'Lan' })).body
  expect(hidden).toMatchObject({ name: 'Lan', phoneNumbers: [], lid: '123456789' })
  const known = (await change(id, { name: 'Lan', phoneNumbers: [`+${number}`] })).body
  expect(known).toMatchObject({ phoneNumbers: [`+${number}`], lid: '123456789' })
})

//
test('a filter of 30 fields and 50 tags leaves PostgreSQL few tables to join in any order', async () => {
  const keys: string[] = []
  for (let n = 0; n < 30; n++) keys.push((await context.add.contactField()).key)
  const filter = {
    search: 'lan',
    tagIds: Array.from({ length: 50 }, (_, n) => n + 1),
    fields: keys.map((key) => ({ key, value: 'x' })),
  }
  // Planning the 80 tables took five seconds.
  const condition = (await matches(context.db, filter)).sql
  const count = (words: string) => condition.split(words).length - 1
  expect([count('exists (') >= 79, count('exists (') - count('offset 0') <= 3]).toEqual([true, true])
  expect((await context.call(user, contacts.search, { body: filter })).body.data).toEqual([])
})

test('whoever meets another change in a deadlock is asked to try again', async () => {
  const admin = await context.add.admin()
  const [first, second] = [await context.add.contact(), await context.add.contact()]
  const { id } = await context.db.one<{ id: number }>(
    sql`insert into tags (name) values ('met') returning id`,
  )
  for (const contact of [first, second])
    await context.db.run(sql`insert into contact_tags (contact_id, tag_id) values (${contact.id}, ${id})`)
  let answer: Promise<unknown> | undefined
  await context.db.begin(async (tx) => {
    await tx.run(sql`delete from contact_tags where contact_id = ${second.id}`)
    answer = context.call(admin, contacts.removeTag, { params: { id } })
    await expect.poll(() => countWaiting(context.db)).toBe(1)
    await tx.run(sql`delete from contact_tags where contact_id = ${first.id}`)
  })
  expect(await answer).toMatchObject({ status: 409, body: { code: 'job_busy' } })
})
