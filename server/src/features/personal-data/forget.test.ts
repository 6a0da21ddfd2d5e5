import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { sql } from '../../platform/database/sql.ts'
import { forgetNumbers } from './forget.ts'

const context = useContext()
const { personalData, series } = contract
const NUMBER = '84912345678'
const CHAT = `${NUMBER}@s.whatsapp.net`
const LID = '117788990011'
const OTHER = '84900000001'

const pass = () => forgetNumbers(context.db, 'VN', new AbortController().signal)

async function request(phoneNumber = `+${NUMBER}`) {
  const admin = await context.add.admin()
  expect(await context.call(admin, personalData.forget, { body: { phoneNumber } })).toMatchObject({
    status: 202,
  })
  return admin
}

async function lastPass() {
  await context.moveClock('3 minutes')
  await pass()
  expect(await context.db.many(sql`select from forget_requests where done_at is null`)).toEqual([])
}

async function forget(phoneNumber?: string) {
  await request(phoneNumber)
  await pass()
  await lastPass()
}

const OPT_OUT = `
  with begun as (
    insert into opt_outs (is_for_all, source, said_at, phone)
    values (true, 'form', clock_now(), '${NUMBER}') returning id)
  insert into opted_out select 'phone', '${NUMBER}', null, id from begun;`

const isOut = async (chat = CHAT) =>
  (await context.db.begin((tx) => tx.one<{ isOut: boolean }>(sql`select is_opted_out(${chat}, 0) as is_out`)))
    .isOut

// R-2124
test('an opt-out that comes while the number is being forgotten holds', async () => {
  await context.db.script(`
    insert into known_lids values ('${LID}', '${NUMBER}');
    create function opt_out_meanwhile() returns trigger language plpgsql as $$ begin ${OPT_OUT} return null; end $$;
    create trigger meanwhile after delete on known_lids for each row execute function opt_out_meanwhile();`)
  await request()
  await pass()
  expect(await isOut()).toBe(true)
  await lastPass()
  expect(await isOut()).toBe(true)
})

// R-2125
test('a hidden number that becomes known meanwhile is forgotten, too', async () => {
  const group = await context.add.group()
  await context.db.run(
    sql`insert into participants values (${group.id}, ${`${LID}@lid`}, 'member', 'Lan', 1)`,
  )
  await request()
  await pass()
  await context.db.run(sql`insert into known_lids values (${LID}, ${NUMBER})`)
  expect(await context.db.run(sql`select from participants`)).toBe(1)
  await lastPass()
  expect(await context.db.run(sql`select from participants`)).toBe(0)
})

// R-2126
test('a forgotten opt-out holds for a hidden number and another form that become known later', async () => {
  await context.db.script(OPT_OUT)
  await forget()
  const learn = (statement: ReturnType<typeof sql>) => context.db.begin((tx) => tx.run(statement))
  expect(await isOut(`${LID}@lid`)).toBe(false)
  await learn(sql`insert into known_lids values (${LID}, ${NUMBER})`)
  expect(await isOut(`${LID}@lid`)).toBe(true)
  await learn(
    sql`insert into number_checks (phone, answer, whatsapp_phone) values (${OTHER}, 'yes', ${NUMBER})`,
  )
  expect(await isOut(`${OTHER}@s.whatsapp.net`)).toBe(true)
  expect(await isOut('84900000002@s.whatsapp.net')).toBe(false)
})

// R-2127
test('numbers of other countries are forgotten in series, and approvals of series and jobs still hold', async () => {
  const FOREIGN = '12025550123'
  const instance = await context.add.instance({ approval: 'always' })
  const series = await context.add.series({ instanceId: instance.id, jobType: 'SendToUsers' })
  const job = await context.add.job({
    ...{ instanceId: instance.id, recipients: [`${FOREIGN}@s.whatsapp.net`, CHAT] },
    ...{ status: 'Pending' as const, scheduledAt: '2100-01-01T00:00:00Z', texts: ['a', 'b'] },
  })
  const both = JSON.stringify({ ids: [], numbers: [`+${FOREIGN}`, `+${NUMBER}`] })
  await context.db.script(`
    update series set frozen = '${both}', recipients = recipients || '{"phoneNumbers": "+1 (202) 555-0123, ${NUMBER}"}';
    update series set approved_hash = series_content_hash(id);
    update jobs set review = 'approved', review_hash = job_content_hash(id);`)
  await forget(`+${FOREIGN}`)
  expect(
    await context.db.one(sql`
      select frozen->'numbers' as frozen, recipients->>'phoneNumbers' as typed,
        approved_hash = series_content_hash(id) as is_approved
      from series where id = ${series.id}`),
  ).toEqual({ frozen: [`+${NUMBER}`], typed: ` ${NUMBER}`, isApproved: true })
  expect(
    await context.db.one(sql`
      select review, review_hash = job_content_hash(id) as is_approved from jobs where id = ${job.id}`),
  ).toEqual({ review: 'approved', isApproved: true })
})

// R-2128
test('a number is found however somebody has written it', async () => {
  await context.db.script(`
    insert into imports (source, user_name, status) values ('file', 'An', 'checked');
    insert into import_rows (import_id, place, number, cells, outcome, problem) values
      (1, 1, 1, '{"Lan", "0912 345 678", "x"}', 'refused', '{"code": "name_invalid", "params": {}}'),
      (1, 2, 2, '{"An", "0900 000 001"}', 'refused', '{"code": "name_invalid", "params": {}}'),
      (1, 3, 3, '{"91", "2345678"}', 'refused', '{"code": "name_invalid", "params": {}}');`)
  const admin = await context.add.admin()
  await context.add.message({ textContent: 'Gọi (+84) 912-345-678 nhé' })
  await context.add.message({ textContent: 'Gọi 0900 000 001 nhé' })
  await context.add.contact({ number: OTHER, name: 'An', note: 'Chồng của 0912.345.678' })
  await context.add.job({ name: 'Cho 0912345678' })
  const body = { phoneNumber: NUMBER }
  const { raw } = await context.call(admin, personalData.export, { body })
  const { holds } = JSON.parse(raw.toString()) as { holds: Record<string, object[]> } // written by the export
  expect(holds.messages).toMatchObject([{ text_content: 'Gọi (+84) 912-345-678 nhé' }])
  expect(holds.jobs).toMatchObject([{ name: 'Cho 0912345678' }])
  expect(holds.import_rows).toMatchObject([{ place: 1 }])
  await forget()
  expect(await context.db.many(sql`select place from import_rows order by place`)).toEqual([
    { place: 2 },
    { place: 3 },
  ])
})

// R-2210
test('a series whose recipients stay as they were sends nothing to who was forgotten', async () => {
  const instance = await context.add.instance()
  const { id: messageId } = await context.add.message({ instanceId: instance.id })
  const body = {
    ...{ name: 'News', instanceId: instance.id, messageIds: [messageId], jobType: 'SendToUsers' as const },
    rule: {
      frequency: 'day' as const,
      every: 1,
      times: ['09:00'],
      startsOn: '2026-01-01',
      timeZone: 'UTC',
      endsOn: null,
      runLimit: null,
    },
    ...{ phoneNumbers: `+${NUMBER}\n+${OTHER}`, isFrozen: true },
  }
  const admin = await context.add.admin()
  expect((await context.call(admin, series.create, { body })).body).toMatchObject({ frozenCount: 2 })
  await forget()
  expect(await context.db.one(sql`select frozen->'numbers' as numbers from series`)).toEqual({
    numbers: [`+${OTHER}`],
  })
})

// R-2216
test('the number by which WhatsApp knows a contact is forgotten, also when the check of it is gone', async () => {
  const [typed, known] = ['2290197123456', '22997123456']
  const contact = await context.add.contact({ number: typed })
  await context.db.run(
    sql`update contact_identities set whatsapp_phone = ${known} where contact_id = ${contact.id}`,
  )
  const chats = { recipients: [`${known}@s.whatsapp.net`] }
  const sent = await context.add.job({ ...chats, status: 'Completed', deliveryStatus: 'sent' })
  const queued = await context.add.job({ ...chats, pausedAt: '2026-01-01T00:00:00Z' })
  const admin = await context.add.admin()
  const { raw } = await context.call(admin, personalData.export, { body: { phoneNumber: `+${typed}` } })
  const { holds } = JSON.parse(raw.toString()) as { holds: Record<string, object[]> } // written by the export
  expect(holds.deliveries).toHaveLength(2)
  await forget(`+${typed}`)
  expect(
    await context.db.many(sql`
      select job_id, status, chat_id like 'forgotten-%' as is_forgotten from deliveries order by job_id`),
  ).toEqual([
    { jobId: sent.id, status: 'sent', isForgotten: true },
    { jobId: queued.id, status: 'skipped', isForgotten: true },
  ])
})

// R-2211
test('a number is found with the digits and dashes of other keyboards', async () => {
  const { id } = await context.add.series({ jobType: 'SendToUsers' })
  const written = [
    '０９１２３４５６７８',
    '٠٩١٢٣٤٥٦٧٨',
    '0912‑345‑678',
    '0912–345–678',
    '0912\u200b345\u200b678',
    '[0912] 345678',
  ]
  await context.db.run(sql`
    update series set recipients = recipients || jsonb_build_object('phoneNumbers', ${[...written, `+${OTHER}`].join(',')}::text)`)
  for (const textContent of written) await context.add.message({ textContent })
  const admin = await context.add.admin()
  const { raw } = await context.call(admin, personalData.export, { body: { phoneNumber: NUMBER } })
  const { holds } = JSON.parse(raw.toString()) as { holds: Record<string, object[]> } // written by the export
  expect(holds.messages).toHaveLength(written.length)
  await forget()
  expect(
    await context.db.one(sql`select recipients->>'phoneNumbers' as typed from series where id = ${id}`),
  ).toEqual({ typed: `+${OTHER}` })
})
