import { beforeEach, expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { LOCKS, lockShared } from '../../platform/database/advisory-lock.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { beginOptOut } from '../../platform/opt-outs.ts'
import { storeSaid } from '../incoming/store.ts'
import { deleteOldRows } from '../index.ts'
import { contacts } from './contacts.ts'
import { lookForUnused } from './unused.ts'

const context = useEngineContext()
const run = () => deleteOldRows(context.db, new AbortController().signal)
const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
const keep = (days: number | null) =>
  context.db.run(sql`update retention set contact_days = ${days}, contact_cursor = 0`)

beforeEach(async () => {
  await context.db.script(
    'delete from series; delete from lists; delete from contacts; delete from instances',
  )
  await keep(40)
})

const left = async () =>
  (await context.db.many<{ id: number }>(sql`select id from contacts order by id`)).map(({ id }) => id)

const addOld = (columns: Parameters<typeof context.add.contact>[0] = {}) =>
  context.add.contact({ changedAt: ago(41), ...columns })

async function tagged(days: number) {
  const contact = await addOld()
  await context.db.run(sql`
    with tag as (insert into tags (name) values ('vip ' || ${contact.id}::text) returning id)
    insert into contact_tags (contact_id, tag_id, added_at) select ${contact.id}, id, ${ago(days)} from tag`)
  return contact
}

async function listed(days: number) {
  const contact = await addOld()
  const list = await context.add.list({ contacts: [contact] })
  await context.db.run(sql`update list_contacts set added_at = ${ago(days)} where contact_id = ${contact.id}`)
  return { ...contact, listId: list.id }
}

async function imported(days: number | null) {
  const contact = await addOld()
  await context.db.run(sql`
    with import as (
      insert into imports (source, user_name, status, started_at, ended_at)
      values ('file', 'lan', ${days === null ? 'running' : 'done'}, ${ago(90)}, ${days === null ? null : ago(days)})
      returning id
    )
    insert into import_rows (import_id, place, number, outcome, contact_id)
    select id, 1, 1, 'unchanged', ${contact.id} from import`)
  return contact
}

type Job = Parameters<typeof context.add.job>[0]
const sent = { status: 'Completed', deliveryStatus: 'sent' } as const

async function ofJob(job: Job, completedDaysAgo: number | null) {
  const contact = await addOld()
  const { id } = await context.add.job({ recipients: [`${contact.number}@s.whatsapp.net`], ...job })
  await context.db.run(sql`update deliveries set contact_id = ${contact.id}, sent_at = ${ago(completedDaysAgo ?? 41)}
    where job_id = ${id}`)
  await context.db.run(sql`
    update jobs set completed_at = ${completedDaysAgo === null ? null : ago(completedDaysAgo)} where id = ${id}`)
  return contact
}

/** Somebody has typed the number, who does not see the contact. */
async function typed(days: number) {
  const contact = await addOld()
  const { id } = await context.add.instance()
  await context.db.run(sql`
    insert into instance_people (instance_id, phone, last_sent_at) values (${id}, ${contact.number}, array[${ago(days)}::timestamptz])`)
  return contact
}

async function wrote(days: number, sender: 'phone' | 'lid' | 'otherPhone' = 'phone') {
  const contact = await addOld()
  const { id: instanceId } = await context.add.instance()
  const lid = `1${contact.number}`
  await context.db.run(
    sql`insert into contact_identities (kind, value, contact_id) values ('lid', ${lid}, ${contact.id})`,
  )
  await context.db.run(sql`
    update contact_identities set whatsapp_phone = '5511' where kind = 'phone' and contact_id = ${contact.id}`)
  const phones = { phone: contact.number, lid: null, otherPhone: '5511' }
  await storeSaid(context.db, [
    {
      ...{
        instanceId,
        id: `said ${contact.id}`,
        text: 'Hello',
        saidAt: ago(days).toISOString(),
        quotedId: null,
      },
      ...{ phone: phones[sender], lid: sender === 'lid' ? lid : null, likelyPhone: null, wasAsked: true },
    },
  ])
  return contact
}

const people = { phoneNumbers: '', groupIds: [], fallbacks: {}, leaveOutIncomplete: false }

/** The number in a list of typed ones, after another. */
async function typedInSeries(write: (number: string) => string, state = 'active') {
  const contact = await addOld()
  const phoneNumbers = `+84 90 000 0000;\n${write(contact.number)}, `
  const recipients = JSON.stringify({ ...people, contactIds: [], phoneNumbers })
  await context.add.series({ jobType: 'SendToUsers', state, recipients })
  return contact
}

async function inSeries(by: 'id' | 'frozen' | 'list' | 'excluded' | 'filter', state = 'active') {
  const contact = await tagged(41)
  const { id: seriesId } = await context.add.series({
    ...{ jobType: 'SendToUsers', state },
    recipients: JSON.stringify({ ...people, contactIds: by === 'id' ? [contact.id] : [] }),
    frozen: by === 'frozen' ? JSON.stringify({ ids: [contact.id], numbers: [] }) : null,
  })
  if (by === 'id' || by === 'frozen') return contact
  const { id: tagId } = await context.db.one<{ id: number }>(sql`
    select tag_id as id from contact_tags where contact_id = ${contact.id}`)
  const list = await context.add.list(
    by === 'filter' ? { filter: { tagIds: [tagId] } } : { contacts: [contact] },
  )
  await context.db.run(sql`update list_contacts set added_at = ${ago(41)}`)
  await context.db.run(sql`insert into series_lists values (${seriesId}, ${list.id}, ${by === 'excluded'})`)
  return contact
}

// R-2140, R-2146
test.each<{ what: string; goes: boolean; add: () => Promise<{ id: number }> }>([
  { what: 'nobody has used or changed', goes: true, add: addOld },
  { what: 'somebody has changed 39 days ago', goes: false, add: () => addOld({ changedAt: ago(39) }) },
  { what: 'got a tag 41 days ago', goes: true, add: () => tagged(41) },
  { what: 'got a tag 39 days ago', goes: false, add: () => tagged(39) },
  { what: 'came into a list 41 days ago', goes: true, add: () => listed(41) },
  { what: 'came into a list 39 days ago', goes: false, add: () => listed(39) },
  { what: 'was in an import 41 days ago', goes: true, add: () => imported(41) },
  { what: 'was in an import 39 days ago', goes: false, add: () => imported(39) },
  { what: 'is in an import that runs', goes: false, add: () => imported(null) },
  { what: 'a job had that ended 41 days ago', goes: true, add: () => ofJob(sent, 41) },
  { what: 'a job had that ended 39 days ago', goes: false, add: () => ofJob(sent, 39) },
  { what: 'a job is to send to', goes: false, add: () => ofJob({ status: 'Pending' }, null) },
  {
    what: 'a paused job may send to',
    goes: false,
    add: () => ofJob({ status: 'Running', pausedAt: ago(60) }, null),
  },
  { what: 'somebody sent to by number 41 days ago', goes: true, add: () => typed(41) },
  { what: 'somebody sent to by number 39 days ago', goes: false, add: () => typed(39) },
  { what: 'wrote 42 days ago', goes: true, add: () => wrote(42) },
  { what: 'wrote 39 days ago', goes: false, add: () => wrote(39) },
  { what: 'wrote 39 days ago from a hidden number', goes: false, add: () => wrote(39, 'lid') },
  {
    what: 'wrote 39 days ago by the number that WhatsApp knows',
    goes: false,
    add: () => wrote(39, 'otherPhone'),
  },
  { what: 'an active series sends to', goes: false, add: () => inSeries('id') },
  { what: 'an active series has among its fixed recipients', goes: false, add: () => inSeries('frozen') },
  { what: 'is in a list of an active series', goes: false, add: () => inSeries('list') },
  { what: 'is in a list that an active series leaves out', goes: false, add: () => inSeries('excluded') },
  { what: 'a filter of an active series finds', goes: false, add: () => inSeries('filter') },
  { what: 'an active series has typed', goes: false, add: () => typedInSeries((number) => `+${number}`) },
  {
    what: 'an active series has typed without the country code',
    goes: false,
    add: () => typedInSeries((number) => `0${number.slice(2, -4)} ${number.slice(-4)}`),
  },
  {
    what: 'a series has typed that has ended',
    goes: true,
    add: () => typedInSeries((number) => number, 'ended'),
  },
  { what: 'an active series has not typed', goes: true, add: () => typedInSeries(() => '+84900000001') },
  { what: 'is in a list of a series that has ended', goes: true, add: () => inSeries('list', 'ended') },
  { what: 'a series had that has ended', goes: true, add: () => inSeries('id', 'ended') },
])('a contact that $what goes: $goes', async ({ goes, add }) => {
  const { id } = await add()
  await keep(null)
  await run()
  expect(await left()).toContain(id)

  await keep(40)
  await run()

  expect((await left()).includes(id)).toBe(!goes)
})

// R-2140
test('a contact whose job or recipients were deleted stays as long as if they were there', async () => {
  const { db } = context
  const [recent, ofDeleted] = [await ofJob(sent, 39), await ofJob(sent, 39)]
  await ofJob(sent, 41)
  await db.run(sql`delete from deliveries where contact_id = ${recent.id}`)
  await db.run(sql`delete from jobs`)
  await run()
  expect(await left()).toEqual([recent.id, ofDeleted.id])
})

// R-2141
test('somebody who has opted out stays so, and leaves their lists', async () => {
  const { db } = context
  const contact = await listed(41)
  const { id: instanceId } = await context.add.instance()
  await db.begin((tx) =>
    beginOptOut(tx, {
      ...{ instanceId, providerMessageId: 'x', saidAt: ago(50).toISOString(), words: 'stop', by: null },
      identities: [{ kind: 'phone', value: contact.number }],
      alsoPhone: null,
    }),
  )

  expect(await run()).toBe(1)

  expect(
    await db.one(sql`
      select is_opted_out(${`${contact.number}@s.whatsapp.net`}, ${instanceId}) as is_out,
        (select count(*) from contact_identities) as identities, (select count(*) from list_contacts) as listed`),
  ).toEqual({ isOut: true, identities: 0, listed: 0 })
})

// R-2136
test('a look reads the next contacts by their ids, and begins again after the last one', async () => {
  const { db } = context
  const look = () => db.begin((tx) => lookForUnused(tx, contacts, 2))
  const ids = []
  for (const days of [1, 41, 41, 1, 41]) ids.push((await addOld({ changedAt: ago(days) })).id)
  expect([await look(), await look(), await look()]).toEqual([
    { count: 1, isThrough: false },
    { count: 1, isThrough: false },
    { count: 1, isThrough: true },
  ])
  expect(await left()).toEqual([ids[0], ids[3]])
  await db.run(sql`update contacts set changed_at = ${ago(41)}`)
  expect(await look()).toEqual({ count: 2, isThrough: false })
})

// R-2136
test('a look reads its own contacts, and no more of large tables', async () => {
  const { db } = context
  const { id: jobId, instanceId } = await context.add.job({ ...sent, recipients: [] })
  const list = await context.add.list()
  await db.run(sql`update jobs set completed_at = ${ago(41)} where id = ${jobId}`)
  // PostgreSQL may have found these tables empty. Then it plans the triggers for that, until it has looked again.
  for (const { first, last } of [
    { first: 1, last: 100 },
    { first: 101, last: 6000 },
  ]) {
    await fill({ jobId, instanceId, listId: list.id, first, last })
    await db.run(sql`vacuum analyze contacts, contact_identities, list_contacts, deliveries, instance_people`)
  }
  const rows = await db.begin(async (tx) => {
    const before = await rowsRead(tx)
    expect(await lookForUnused(tx, contacts, 100)).toEqual({ count: 100, isThrough: false })
    return (await rowsRead(tx)) - before
  })
  expect(rows).toBeLessThan(5_000)
})

/** Adds contacts from long ago, each in a list and with a message. */
async function fill(of: { jobId: number; instanceId: number; listId: number; first: number; last: number }) {
  const { db } = context
  await db.run(sql`
    insert into contacts (name, numbers, source, source_name, changed_at)
    select n::text, (84900000000 + n)::text, 'form', 'lan', '2020-01-01'
    from generate_series(${of.first}::int, ${of.last}::int) n`)
  const added = sql`from contacts where name::int between ${of.first} and ${of.last}`
  await db.run(sql`insert into contact_identities select 'phone', numbers, id, true ${added}`)
  await db.run(sql`insert into list_contacts select ${of.listId}, id, '2020-01-01' ${added}`)
  await db.run(sql`
    insert into deliveries (job_id, instance_id, chat_id, recipient_name, status, contact_id, sent_at)
    select ${of.jobId}, ${of.instanceId}, numbers || '@s.whatsapp.net', name, 'sent', id, '2020-01-01' ${added}`)
  await db.run(sql`
    insert into instance_people (instance_id, phone, last_sent_at)
    select ${of.instanceId}, numbers, array['2020-01-01'::timestamptz] ${added}`)
}

const rowsRead = async (tx: Db) =>
  (
    await tx.one<{ rows: number }>(sql`
    select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables`)
  ).rows

// R-2137
test('nobody goes while a job or a series reads its people, or an import or a list has them', async () => {
  const { db } = context
  const [chosen, other] = [await addOld(), await addOld()]
  await db.begin(async (tx) => {
    await lockShared(tx, LOCKS.peopleOfJobs)
    expect(await run()).toBe(0)
  })
  await db.begin(async (tx) => {
    await tx.run(sql`select from contacts where id = ${chosen.id} for key share`)
    expect(await run()).toBe(1)
  })
  expect(await left()).toEqual([chosen.id])
  expect(other.id).toBeGreaterThan(chosen.id)
})
