import { createHmac } from 'node:crypto'
import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { columns } from '../../../test/personal-columns.ts'
import { connect } from '../../platform/database/connection.ts'
import { identifier, sql } from '../../platform/database/sql.ts'
import { optInByMessage } from '../../platform/opt-outs.ts'
import { forgetNumbers } from './forget.ts'
import { places } from './places.ts'

const context = useContext()
const { personalData, jobs, contacts } = contract
const NUMBER = '84912345678'
const CHAT = `${NUMBER}@s.whatsapp.net`
const LID = '117788990011'
const NAME = 'Nguyễn Thị Lan'

/** Tables that can have a number and keep it: docs/admins/personal-data.md says why. */
const KEPT = ['audit_log', 'groups', 'instances', 'jobs', 'messages']

const run = () => forgetNumbers(context.db, 'VN', new AbortController().signal)

async function forget(admin: TestUser) {
  const body = { phoneNumber: `+${NUMBER}` }
  expect(await context.call(admin, personalData.forget, { body })).toMatchObject({ status: 202 })
  await run()
  await context.moveClock('3 minutes')
  await run()
}

const optOut = () =>
  context.db.script(`
    with begun as (
      insert into opt_outs (is_for_all, source, words, said_at, phone)
      values (true, 'message', 'Dừng, ${NAME}', clock_now() - interval '1 day', '${NUMBER}') returning id)
    insert into opted_out select 'phone', '${NUMBER}', null, id from begun;`)

const isOut = async (account = 0) =>
  (
    await context.db.begin((tx) =>
      tx.one<{ isOut: boolean }>(sql`select is_opted_out(${CHAT}, ${account}) as is_out`),
    )
  ).isOut

/** Stores the number in every place there is. */
async function fillEveryPlace() {
  const { db, add } = context
  const account = await add.instance({ whatsAppNumber: NUMBER })
  const group = await add.group({ instanceId: account.id, chatId: `${NUMBER}-1400000000@g.us` })
  const contact = await add.contact({ number: NUMBER, name: NAME, note: 'wants blue' })
  const field = await add.contactField()
  await add.message({ textContent: `Call ${NUMBER}`, instanceId: account.id })
  const sent = await add.job({
    ...{ instanceId: account.id, status: 'Completed' as const, deliveryStatus: 'sent' },
    ...{ recipients: [CHAT, '84900000001@s.whatsapp.net'], texts: [`Hello ${NAME}`, 'Hello'] },
    textContent: `Call ${NUMBER}`,
  })
  const queued = await add.job({
    instanceId: account.id,
    recipients: [CHAT],
    pausedAt: '2026-01-01T00:00:00Z',
  })
  const series = await add.series({ instanceId: account.id, jobType: 'SendToUsers' })
  const numbers = JSON.stringify({ ids: [], numbers: [`+${NUMBER}`, '+84900000001'] })
  await db.script(`
    update deliveries set recipient_name = '${NAME}', reason = '{"code": "refused", "params": {"detail": "${NUMBER} is unknown"}}'
      where chat_id = '${CHAT}' and job_id = ${sent.id};
    insert into contact_values values (${contact.id}, ${field.id}, 'Huế');
    insert into delivery_mentions (delivery_id, members, reached, phones) select min(id), 1, 1, '{${NUMBER},84900000001}' from deliveries;
    insert into job_logs (job_id, log_level, reason) values
      (${sent.id}, 'Error', '{"code": "delivery_failed", "params": {"recipient": "${NAME}", "why": "refused"}}'),
      (${sent.id}, 'Error', '{"code": "delivery_failed", "params": {"recipient": "${NUMBER}", "why": "refused"}}');
    insert into poll_results (instance_id, provider_message_id, counts, voters) values (${account.id}, 'p', '{"Yes": 2}',
      '{"Yes": ["${NUMBER}", "84900000001"]}');
    insert into instance_people (instance_id, phone, replied_at) values (${account.id}, '${NUMBER}', now());
    insert into number_checks (phone, answer, whatsapp_phone) values ('${NUMBER}', 'yes', '${NUMBER}');
    insert into due_number_checks (instance_id, phone) values (${account.id}, '${NUMBER}');
    insert into due_replies values (${account.id}, '${NUMBER}', now());
    insert into known_lids values ('${LID}', '${NUMBER}');
    insert into opt_ins values (${account.id}, 'i', '${NUMBER}', null, now() - interval '2 days');
    insert into possible_opt_outs (instance_id, lid, why, words, provider_message_id, said_at)
      values (${account.id}, '${LID}', 'contains', 'xin dừng', 'm', now());
    insert into participants values (${group.id}, '${LID}@lid', 'member', '${NAME}', 1);
    insert into other_viewers values (${group.id}, '${NUMBER}', 2);
    insert into receipt_events (instance_id, provider_message_id, state, viewer, happened_at)
      values (${account.id}, 'x', 'read', '${NUMBER}', now());
    insert into receipt_batches (receipts, receipt_count) values ('[{"viewer": "${NUMBER}"}]', 1);
    insert into receipts_set_aside (receipts, reason, received_at) values ('[{"viewer": "${NUMBER}"}]', 'x', now());
    insert into imports (source, user_name, status) values ('file', 'An', 'checked');
    insert into import_rows (import_id, place, number, kind, value, name, cells) values
      (1, 1, 1, 'phone', '${NUMBER}', '${NAME}', '{"${NAME}"}'), (1, 2, 2, 'phone', '84900000001', 'An', '{An}');
    update series set frozen = '${numbers}', recipients = recipients || '{"phoneNumbers": "+84 912 345 678, 84900000001\\n84912345678"}'
      where id = ${series.id};
    insert into audit_log (user_name, address, action, object_name, details) values ('An', '', 'contact.create', '+${NUMBER}', '{}');`)
  await optOut()
  return { account, sent, queued, series, contact }
}

/** The tables that have one of these words in any row: of all that a dump of the database would have. */
async function tablesWith(...words: string[]): Promise<string[]> {
  const tables = await context.db.many<{ name: string; schema: string }>(sql`
    select tablename as name, schemaname as schema from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`)
  const found = []
  for (const { name, schema } of tables) {
    const count = await context.db.run(sql`
      select from ${identifier(schema)}.${identifier(name)} t
      where exists (select from unnest(${words}::text[]) word where strpos(t::text, word) > 0) limit 1`)
    if (count > 0) found.push(name)
  }
  return found
}

type File = { holds: Record<string, object[]> }

async function fileAbout(admin: TestUser, phoneNumber: string) {
  const { status, raw } = await context.call(admin, personalData.export, { body: { phoneNumber } })
  expect(status).toBe(200)
  return JSON.parse(raw.toString()) as File // written by the export
}

// R-2100, R-2101
test('a file has what every table holds about a number, and forgetting leaves only what the guide names', async () => {
  const admin = await context.add.admin()
  const { sent, series } = await fillEveryPlace()
  const before = await fileAbout(admin, '0912 345 678')
  const filled = Object.entries(before.holds).filter(([, rows]) => rows.length > 0)
  expect(filled.map(([table]) => table)).toEqual(Object.keys(places))
  expect(JSON.stringify(before)).not.toContain('cipher')

  await forget(admin)

  // Batches of receipts are applied within a second, and a worker of this test does not.
  await context.db.run(sql`delete from receipt_batches`)
  expect(await tablesWith(NUMBER, '912 345 678', LID, NAME)).toEqual(KEPT)
  const after = await fileAbout(admin, NUMBER)
  expect(
    Object.entries(after.holds)
      .flatMap(([table, rows]) => (rows.length > 0 ? [table] : []))
      .sort(),
  ).toEqual(KEPT)
  // Others stay as they were.
  expect(
    await context.db.one(sql`select frozen->'numbers' as frozen, recipients->>'phoneNumbers' as typed
    from series where id = ${series.id}`),
  ).toEqual({ frozen: ['+84900000001'], typed: ' 84900000001' })
  expect(await context.db.one(sql`select voters, counts from poll_results`)).toEqual({
    voters: { Yes: ['84900000001'] },
    counts: { Yes: 2 },
  })
  expect((await context.call(admin, jobs.get, { params: { id: sent.id } })).body).toMatchObject({
    recipients: { total: 2, sent: 2 },
  })
  expect((await context.call(admin, personalData.requests, {})).body).toEqual([
    expect.objectContaining({ phoneNumber: null, unsettled: 0, doneAt: expect.any(String) }),
  ])
})

/** Tables with personal columns that hold no number of a customer. */
const WITHOUT_NUMBERS = [
  ...[
    'api_keys',
    'delivery_views',
    'forget_requests',
    'forgotten_opt_outs',
    'group_sets',
    'import_parts',
    'imports',
    'job_reviews',
  ],
  ...['lists', 'series_runs', 'sessions', 'sign_in_failures', 'tags', 'users'],
]

// R-2100
test('every table with personal columns is looked through, or holds no number', () => {
  const personal = Object.entries(columns).flatMap(([table, { personal }]) => (personal ? [table] : []))
  expect([...Object.keys(places), ...WITHOUT_NUMBERS].sort()).toEqual(personal.sort())
})

// R-2102
test('an opt-out of a forgotten number still holds: for typed numbers, in the preview, and for new contacts', async () => {
  const admin = await context.add.admin()
  const account = await context.add.instance()
  await optOut()
  await forget(admin)
  expect(await tablesWith(NUMBER)).toEqual([])
  expect(await isOut()).toBe(true)

  const message = await context.add.message({ instanceId: account.id })
  const job = {
    ...{ instanceId: account.id, messageId: message.id, jobType: 'SendToUsers' as const },
    phoneNumbers: `${NUMBER}\n84900000001`,
  }
  const preview = await context.call(admin, jobs.preview, { body: job })
  expect(preview.body).toMatchObject({ optedOut: 1 })
  const created = await context.call(admin, jobs.create, { body: job })
  expect(created.status).toBe(201)
  expect(await context.db.many(sql`select status from deliveries order by chat_id`)).toEqual([
    { status: 'queued' },
    { status: 'skipped' },
  ])

  const body = { name: 'Lan', phoneNumbers: [`+${NUMBER}`] }
  const contact = await context.call(admin, contacts.create, { body })
  expect(contact.body).toMatchObject({ optedOutAt: expect.any(String) })
  expect(await context.db.many(sql`select source, phone from opt_outs`)).toEqual([
    { source: 'forgotten', phone: NUMBER },
  ])
  expect(await isOut()).toBe(true)
})

// R-2102
test('whoever wants messages again after the number was forgotten gets them', async () => {
  const admin = await context.add.admin()
  const account = await context.add.instance({ isTest: false })
  await optOut()
  await forget(admin)
  const start = (saidAt: string, id: string) =>
    context.db.begin((tx) =>
      optInByMessage(tx, [{ kind: 'phone', value: NUMBER }], {
        instanceId: account.id,
        providerMessageId: id,
        saidAt,
      }),
    )
  await start('2020-01-01T00:00:00Z', 'before')
  expect(await isOut()).toBe(true)
  await start('2100-01-01T00:00:00Z', 'after')
  expect(await isOut()).toBe(false)
})

// R-2104
test('the hash is HMAC-SHA-256, and without the key nobody can say who has opted out', async () => {
  const { hash } = await context.db.begin((tx) =>
    tx.one<{ hash: Buffer }>(sql`select number_hash('phone', ${NUMBER}) as hash`),
  )
  const key = 'the key of forgotten numbers in tests'
  expect(hash).toEqual(createHmac('sha256', key).update(`phone ${NUMBER}`).digest())

  await optOut()
  await forget(await context.add.admin())
  const keyless = connect(context.database.address, { max: 1, applicationName: 'sendroom test keyless' })
  const { id } = await context.add.job({ recipients: [CHAT, 'x@g.us'] })
  await keyless.run(sql`update deliveries set status = 'sending' where job_id = ${id}`)
  await keyless.end()
  expect(
    await context.db.many(sql`
    select status, reason->>'code' as code, not_before > clock_now() as waits from deliveries
    where job_id = ${id} order by id`),
  ).toEqual([
    { status: 'queued', code: 'number_key_missing', waits: true },
    { status: 'sending', code: null, waits: false },
  ])
})

// R-2105
test('both need a password, and the audit log has a keyed hash in place of the number', async () => {
  const admin = await context.add.admin()
  const body = { phoneNumber: `+${NUMBER}` }
  await context.call(admin, personalData.export, { body })
  const [first, second] = [
    await context.call(admin, personalData.forget, { body }),
    await context.call(admin, personalData.forget, { body }),
  ]
  expect(second.body).toEqual(first.body)
  const entries = await context.db.many<{ action: string; details: { hash: string } }>(sql`
    select action, details from audit_log where action like 'personal_data.%' order by id`)
  expect(entries.map(({ action }) => action)).toEqual(['personal_data.export', 'personal_data.forget'])
  expect(entries[0]?.details).toEqual(entries[1]?.details)
  expect(JSON.stringify(entries)).not.toContain(NUMBER)
  for (const phoneNumber of ['', 'abc', '12'])
    for (const endpoint of [personalData.export, personalData.forget])
      expect((await context.call(admin, endpoint, { body: { phoneNumber } })).status).toBe(400)
})
