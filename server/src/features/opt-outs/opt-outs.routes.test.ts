import { contract } from '@sendroom/contract'
import { defaultOptOutWords } from '@sendroom/contract/opt-out-words'
import readXlsxFile from 'read-excel-file/node'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useSharedContext()
const { optOuts } = contract

const manager = () => context.add.user({ canManageContacts: true, username: `lan-${Math.random()}` })
const newNumber = () => `+84${Math.floor(900_000_000 + Math.random() * 99_999_999)}`

const possible = async (columns: { phone?: string | null; lid?: string | null; why?: string } = {}) => {
  const { id: instanceId } = await context.add.instance({ isTest: false })
  return context.db.one<{ id: number }>(sql`
    insert into possible_opt_outs (instance_id, phone, lid, why, words, provider_message_id, said_at)
    values (${instanceId}, ${columns.phone ?? null}, ${columns.lid ?? null}, ${columns.why ?? 'contains'},
      'xin dừng', gen_random_uuid()::text, clock_now())
    returning id`)
}

// R-1120
test('numbers are opted out by hand, each once, and unreadable ones are named', async () => {
  const user = await manager()
  const [one, other] = [newNumber(), newNumber()]
  const enter = (phoneNumbers: string) =>
    context.call(user, optOuts.create, { body: { phoneNumbers, note: 'Called us' } })
  expect((await enter(`${one}; ${other}\n${one}, Ms Lan`)).body).toEqual({
    added: 2,
    known: 0,
    duplicates: 1,
    unreadable: { total: 1, first: ['Ms Lan'] },
  })
  expect((await enter(one)).body).toMatchObject({ added: 0, known: 1 })
  expect((await enter(' , ')).status).toBe(400)
  const found = await context.call(user, optOuts.search, { body: { search: one.slice(3) } })
  expect(found.body.data).toEqual([
    expect.objectContaining({
      phoneNumber: one,
      source: 'import',
      words: 'Called us',
      createdBy: user.username,
      isForAll: true,
      holds: true,
      endedAt: null,
    }),
  ])
})

// R-1111
test('an opt-out ends with a reason, once, and is found among those that have ended', async () => {
  const user = await manager()
  const number = newNumber()
  await context.call(user, optOuts.create, { body: { phoneNumbers: number } })
  const find = async (only?: 'holding' | 'ended') =>
    (await context.call(user, optOuts.search, { body: { search: number.slice(1), only } })).body.data
  const [row] = await find('holding')
  const params = { id: row?.id ?? 0 }
  expect((await context.call(user, optOuts.end, { params, body: { reason: ' ' } })).status).toBe(400)
  const end = () => context.call(user, optOuts.end, { params, body: { reason: 'Asked on the phone' } })
  expect((await Promise.all([end(), end()])).map(({ status }) => status)).toEqual([200, 200])
  expect(await find('holding')).toEqual([])
  expect(await find('ended')).toEqual([
    expect.objectContaining({ holds: false, endedBy: user.username, endedReason: 'Asked on the phone' }),
  ])
  const entries = await context.db.many(sql`
    select action, details from audit_log where object_name = ${number} order by id`)
  expect(entries).toEqual([
    { action: 'opt_out.create', details: { note: '', count: 1 } },
    { action: 'opt_out.end', details: { reason: 'Asked on the phone' } },
  ])
})

// R-1121
test('a contact’s opt-outs are found by any of its numbers', async () => {
  const user = await manager()
  const contact = await context.add.contact()
  await context.call(user, optOuts.create, { body: { phoneNumbers: `+${contact.number}` } })
  const { body } = await context.call(user, optOuts.search, { body: { contactId: contact.id } })
  expect(body.data).toEqual([
    expect.objectContaining({ contact: expect.objectContaining({ id: contact.id }) }),
  ])
  await context.add.contact()
  const found = await context.call(user, contract.contacts.search, {
    body: { isOptedOut: true, search: contact.number },
  })
  expect(found.body.data.map(({ id, optedOutAt }) => [id, optedOutAt])).toEqual([
    [contact.id, expect.any(String)],
  ])
})

// R-1122
test('a person decides once what a message meant, and what else the same person wrote is decided, too', async () => {
  const user = await manager()
  const phone = newNumber().slice(1)
  const [first, second] = [await possible({ phone }), await possible({ phone })]
  const decide = (id: number, decision: 'optOut' | 'nothing', version = 1) =>
    context.call(user, optOuts.decide, { params: { id }, body: { decision, version } })
  expect((await decide(first.id, 'optOut')).status).toBe(204)
  expect((await decide(first.id, 'nothing')).body).toMatchObject({ code: 'stale_version' })
  expect((await decide(second.id, 'nothing')).body).toMatchObject({ code: 'stale_version' })
  const [row] = (await context.call(user, optOuts.search, { body: { search: phone } })).body.data
  expect(row).toMatchObject({ source: 'review', words: 'xin dừng', holds: true, createdBy: user.username })

  const other = newNumber()
  const third = await possible({ phone: other.slice(1) })
  expect((await decide(third.id, 'nothing')).status).toBe(204)
  expect(
    await context.db.one(sql`select action, user_name from audit_log where details->>'phone' = ${other}`),
  ).toEqual({ action: 'opt_out.dismiss', userName: user.username })
  const { body } = await context.call(user, optOuts.possible, { query: { pageSize: 1000 } })
  expect(body.data.filter(({ id }) => [first.id, second.id, third.id].includes(id))).toEqual([])
})

// R-1122
test('of two who decide about one person at once, the second is told', async () => {
  const user = await manager()
  const phone = newNumber().slice(1)
  const messages = [await possible({ phone }), await possible({ phone })]
  const answers = await Promise.all(
    messages.map((params) => context.call(user, optOuts.decide, { params, body: { decision: 'optOut' } })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
})

// R-1126
test('a Member learns of messages to all accounts, and the names of their own alone', async () => {
  const [mine, other] = [await possible({ phone: '84901' }), await possible({ phone: '84902' })]
  const instanceOf = ({ id }: { id: number }) =>
    context.db.one<{ id: number; name: string }>(sql`
      select i.id, i.name from instances i join possible_opt_outs p on p.instance_id = i.id where p.id = ${id}`)
  const seen = await instanceOf(mine)
  const member = await context.add.user({ canManageContacts: true, instances: [seen] })
  const { body } = await context.call(member, optOuts.possible, { query: { pageSize: 1000 } })
  const find = ({ id }: { id: number }) => body.data.find((row) => row.id === id)
  expect(find(mine)?.instance).toEqual(seen)
  expect(find(other)).toMatchObject({ words: 'xin dừng', instance: null })
})

test('who decides for an unknown person may name the number', async () => {
  const user = await manager()
  const { id } = await possible({ lid: `${Math.random()}`.slice(2), why: 'unknown_person' })
  const number = newNumber()
  const decide = (phoneNumber: string) =>
    context.call(user, optOuts.decide, { params: { id }, body: { decision: 'optOut', phoneNumber } })
  const nobody = await possible({ why: 'unknown_person' })
  const decideNothing = { params: nobody, body: { decision: 'optOut' } } as const
  expect((await context.call(user, optOuts.decide, decideNothing)).body).toMatchObject({
    fields: { phoneNumber: 'OPT_OUT.PHONE_REQUIRED' },
  })
  expect((await decide('Ms Lan')).body).toMatchObject({ fields: { phoneNumber: 'OPT_OUT.PHONE_INVALID' } })
  expect((await decide(number)).status).toBe(204)
  expect(
    await context.db.one(sql`select is_opted_out(${`${number.slice(1)}@s.whatsapp.net`}, 1) as out`),
  ).toEqual({ out: true })
})

// R-1123
test('an Admin changes the words and the scope, and not over somebody else’s change', async () => {
  const admin = await context.add.admin()
  const { body: before } = await context.call(admin, optOuts.getSettings, {})
  expect(before.words).toEqual(defaultOptOutWords)
  const body = {
    isForAll: false,
    words: { ...before.words, en: { ...before.words.en, stop: ['bye'] } },
    version: before.version,
  }
  const after = await context.call(admin, optOuts.updateSettings, { body })
  expect(after.body).toEqual({ ...body, version: before.version + 1 })
  expect((await context.call(admin, optOuts.updateSettings, { body })).body).toMatchObject({
    code: 'stale_version',
  })
})

// R-1124
test('a list of thousands of numbers is opted out, and again changes nothing', async () => {
  const user = await manager()
  const phoneNumbers = Array.from({ length: 11_000 }, (_, n) => `+8470${1_000_000 + n}`).join('\n')
  const enter = async () => (await context.call(user, optOuts.create, { body: { phoneNumbers } })).body
  expect(await enter()).toMatchObject({ added: 11_000, known: 0 })
  expect(await enter()).toMatchObject({ added: 0, known: 11_000 })
})

// R-1120, R-1123
test('notes, reasons and words have bounds', async () => {
  const admin = await context.add.admin()
  const x = (length: number) => 'x'.repeat(length)
  const phoneNumbers = newNumber()
  const enter = async (note: string) =>
    (await context.call(admin, optOuts.create, { body: { phoneNumbers, note } })).body.fields
  expect(await enter(x(500))).toBeUndefined()
  expect(await enter(x(501))).toEqual({ note: 'OPT_OUT.NOTE_INVALID' })
  const [row] = (await context.call(admin, optOuts.search, { body: { search: phoneNumbers.slice(1) } })).body
    .data
  const end = { params: { id: row?.id ?? 0 }, body: { reason: x(501) } }
  expect((await context.call(admin, optOuts.end, end)).body.fields).toEqual({
    reason: 'OPT_OUT.REASON_REQUIRED',
  })

  const { body: settings } = await context.call(admin, optOuts.getSettings, {})
  const set = async (stop: string[]) => {
    const body = { isForAll: true, words: { ...settings.words, vi: { stop, start: [], complaint: [] } } }
    const { status, body: answer } = await context.call(admin, optOuts.updateSettings, { body })
    return answer.fields ?? status
  }
  expect(await set(Array(50).fill(x(40)))).toBe(200)
  expect(await set([x(41)])).toEqual({ 'words.vi.stop.0': 'OPT_OUT.WORD_INVALID' })
  expect(await set(['🛑'])).toEqual({ 'words.vi.stop.0': 'OPT_OUT.WORD_INVALID' })
  expect(await set(Array(51).fill('x'))).toEqual({ 'words.vi.stop': 'OPT_OUT.WORDS_TOO_MANY' })
  expect(await set([])).toEqual({ 'words.vi.stop': 'OPT_OUT.WORDS_REQUIRED' })
})

// R-1128
test('opt-outs that match are exported as CSV and Excel files, and the audit log says so', async () => {
  const user = await manager()
  const number = newNumber()
  await context.call(user, optOuts.create, { body: { phoneNumbers: number, note: '=1+1' } })
  const body = { search: number.slice(1), language: 'vi' } as const
  const { raw, headers } = await context.call(user, optOuts.exportCsv, { body })
  expect(headers['content-disposition']).toMatch(/filename="OptOuts_\d{4}-\d\d-\d\d\.csv"/)
  const [, line = '', end] = raw.toString().split('\r\n')
  expect(line.replaceAll("'+", '+')).toContain(`"${number}";"";"";"form";"'=1+1";"";"yes";`)
  expect(end).toBe('')
  const xlsx = (await context.call(user, optOuts.exportXlsx, { body: { ...body, only: 'ended' } })).raw
  expect((await readXlsxFile(xlsx))[0]?.data).toHaveLength(1)
  expect(
    await context.db.many(sql`
      select details from audit_log where action = 'opt_out.export' and user_id = ${user.id} order by id`),
  ).toEqual([
    { details: { filter: { search: true } } },
    { details: { filter: { search: true, only: 'ended' } } },
  ])
})
