import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import type { Import } from '@sendroom/contract/imports'
import { beforeEach, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { encodeWindows1258 } from '../../../test/encode.ts'
import type { TestUser } from '../../../test/factories.ts'
import { countWaiting } from '../../../test/locks.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { deleteOldImports } from './imports.queries.ts'
import { workOnImports } from './work.ts'

const context = useContext()
const { imports, contacts } = contract
let user: TestUser

beforeEach(async () => {
  user = await context.add.user({ username: 'lan', canManageContacts: true })
})

const signal = new AbortController().signal
const work = () =>
  workOnImports(
    { db: context.db, secrets: context.secrets, providers: { live: null, test: null } as never },
    signal,
  )

function upload(text: string | Uint8Array, as = user) {
  const form = new FormData()
  form.append('file', new Blob([typeof text === 'string' ? text : new Uint8Array(text)]), 'Khách hàng.csv')
  return context.call(as, imports.upload, { body: form } as never)
}
const get = async (id: number) => (await context.call(user, imports.get, { params: { id } })).body
const preview = async (id: number) => (await context.call(user, imports.preview, { params: { id } })).body

const plan = { known: 'overwrite', consent: 'They agreed at the checkout' } as const
const start = (id: number, body: Partial<Input<typeof imports.start>['body']> = {}) =>
  context.call(user, imports.start, { params: { id }, body: { ...plan, ...body } })
const undo = (id: number) => context.call(user, imports.undo, { params: { id } })

/** Uploads, imports, and waits for the end. */
async function importFile(
  text: string | Uint8Array,
  body: Parameters<typeof start>[1] = {},
): Promise<Import> {
  const { body: uploaded } = await upload(text)
  await work()
  expect(await start(uploaded.id, body)).toMatchObject({ status: 200 })
  await work()
  return get(uploaded.id)
}
const fiveCounts = ({ rows, added, changed, unchanged, twice, refused }: Import) => {
  expect(added + changed + unchanged + twice + refused).toBe(rows)
  return { added, changed, unchanged, twice, refused }
}
const allContacts = async () =>
  (await context.call(user, contacts.search, { body: { sortBy: 'id' } })).body.data.map(
    ({ name, note, phoneNumbers, tags, values, source, sourceName }) => ({
      name,
      note,
      phoneNumbers,
      tags: tags.map(({ name }) => name),
      values,
      source,
      sourceName,
    }),
  )

const FILE = [
  'Họ và tên;Số ĐT;Nhãn;Thành phố;Sinh nhật',
  'Nguyễn Huệ;0901234567;vip, shop;Huế;5/12/1990',
  'Trần Hiếu;+84 90 222 2222;;Hà Nội;1990-01-31',
  'Lê Lợi;8.49E+10;;;',
  'Nguyễn Huệ;84901234567;;;',
  'An;0903333333;;;31/02/1990',
].join('\r\n')

async function addFields() {
  await context.add.contactField({
    key: 'city',
    name: 'Thành phố',
    type: 'choice',
    choices: ['Huế', 'Hà Nội'],
  })
  await context.add.contactField({ key: 'birthday', name: 'Sinh nhật', type: 'date' })
}

// R-1001, R-1002, R-1003
test('a semicolon file in windows-1258 is understood, checked, imported and undone', async () => {
  await addFields()
  const uploaded = await upload(encodeWindows1258(`${FILE}\r\n`))
  expect(uploaded).toMatchObject({ status: 201 })
  const { id } = uploaded.body
  expect(uploaded.body).toMatchObject({ status: 'checking', fileName: 'Khách hàng.csv' })
  expect(uploaded.body.reading).toEqual({
    kind: 'csv',
    encoding: 'windows-1258',
    separator: ';',
    sheet: null,
    hasHeader: true,
    columns: ['name', 'phone', 'tags', { field: 'city' }, { field: 'birthday' }],
    country: 'VN',
  })
  expect(await preview(id)).toEqual({
    isGuess: true,
    sheets: [],
    header: ['Họ và tên', 'Số ĐT', 'Nhãn', 'Thành phố', 'Sinh nhật'],
    rows: [
      { number: 2, cells: ['Nguyễn Huệ', '+84901234567', 'vip, shop', 'Huế', '1990-12-05'], problem: null },
      { number: 3, cells: ['Trần Hiếu', '+84902222222', '', 'Hà Nội', '1990-01-31'], problem: null },
      { number: 4, cells: ['Lê Lợi', '8.49E+10'], problem: { code: 'phone_destroyed', params: {} } },
      { number: 5, cells: ['Nguyễn Huệ', '+84901234567'], problem: null },
      {
        number: 6,
        cells: ['An', '0903333333', '', '', '31/02/1990'],
        problem: { code: 'value_invalid', params: { field: 'Sinh nhật' } },
      },
    ],
  })

  await work()
  const checked = await get(id)
  expect(checked).toMatchObject({
    status: 'checked',
    fault: null,
    added: 2,
    unchanged: 0,
    twice: 1,
    refused: 2,
  })
  expect(await allContacts()).toEqual([])

  await start(id, { tags: ['fair'] })
  await work()
  const done = await get(id)
  expect(done).toMatchObject({
    status: 'done',
    consent: plan.consent,
    startedByUserName: 'lan',
    tags: ['fair'],
  })
  expect(fiveCounts(done)).toEqual({ added: 2, changed: 0, unchanged: 0, twice: 1, refused: 2 })
  const source = { source: 'import', sourceName: 'Khách hàng.csv', note: '' }
  expect(await allContacts()).toEqual([
    {
      ...source,
      name: 'Nguyễn Huệ',
      phoneNumbers: ['+84901234567'],
      tags: ['fair', 'shop', 'vip'],
      values: { city: 'Huế', birthday: '1990-12-05' },
    },
    {
      ...source,
      name: 'Trần Hiếu',
      phoneNumbers: ['+84902222222'],
      tags: ['fair'],
      values: { city: 'Hà Nội', birthday: '1990-01-31' },
    },
  ])
  expect(await context.db.run(sql`select from import_parts`)).toBe(0)
  expect(
    await context.db.run(sql`select from import_rows where value is not null and contact_id is not null`),
  ).toBe(0)

  await undo(id)
  await work()
  expect(await get(id)).toMatchObject({ status: 'undone', undone: { removed: 2, kept: 0, gone: 0 } })
  expect(await allContacts()).toEqual([])
  expect(await context.db.many(sql`select * from count_differences()`)).toEqual([])
})

// R-1004
test('rows that were not imported come back with their columns, their numbers and the reasons in the user’s language', async () => {
  await addFields()
  await context.db.run(sql`update users set language = 'vi' where id = ${user.id}`)
  const { id } = await importFile(FILE)
  const { status, headers, raw } = await context.call(user, imports.problems, { params: { id } })
  expect(status).toBe(200)
  expect(headers['content-disposition']).toContain('Kh%C3%A1ch%20h%C3%A0ng_')
  expect(raw.toString()).toBe(
    `\ufeff${[
      '"Họ và tên","Số ĐT","Nhãn","Thành phố","Sinh nhật","Dòng","Lý do"',
      '"Lê Lợi","8.49E+10","","","","4","Excel đã làm tròn số nên mất chữ số. Hãy định dạng cột thành văn bản và nhập lại số."',
      '"Nguyễn Huệ","84901234567","","","","5","Người này đã có ở dòng 2."',
      '"An","0903333333","","","31/02/1990","6","Giá trị không hợp với trường Sinh nhật."',
    ].join('\r\n')}\r\n`,
  )
})

// R-1003
test('the same file again changes nothing', async () => {
  await addFields()
  await importFile(FILE, { tags: ['fair'] })
  const before = await context.db.many(sql`select * from contacts order by id`)
  for (const known of ['keep', 'fill', 'overwrite'] as const) {
    const again = await importFile(FILE, { tags: ['fair'], known })
    expect(fiveCounts(again)).toEqual({ added: 0, changed: 0, unchanged: 2, twice: 1, refused: 2 })
  }
  expect(await context.db.many(sql`select * from contacts order by id`)).toEqual(before)
})

const known = {
  name: '',
  note: 'old',
  values: { city: 'Huế' },
  tags: [],
}

// R-1003
test.each([
  ['keep', { name: '', note: 'old', values: { city: 'Huế' } }, { changed: 0, unchanged: 1 }],
  [
    'fill',
    { name: 'Lan', note: 'old', values: { city: 'Huế', birthday: '2000-01-02' } },
    { changed: 1, unchanged: 0 },
  ],
  [
    'overwrite',
    { name: 'Lan', note: 'new', values: { city: 'Hà Nội', birthday: '2000-01-02' } },
    { changed: 1, unchanged: 0 },
  ],
] as const)('a known contact: %s, and undo gives back what there was', async (mode, after, counts) => {
  await addFields()
  const number = '+84901234567'
  const { body: contact } = await context.call(user, contacts.create, {
    body: { ...known, phoneNumbers: ['+84909999999', number] },
  })
  const file = 'name,phone,note,city,birthday\nLan,0901234567,new,Hà Nội,2/1/2000\n,0909999999,,,\n'
  const { id, ...done } = await importFile(file, { known: mode })
  expect(fiveCounts({ id, ...done })).toEqual({ added: 0, ...counts, twice: 1, refused: 0 })
  const [found] = await allContacts()
  expect(found).toMatchObject({ ...after, source: 'form' })

  await undo(id)
  await work()
  expect((await get(id)).undone).toEqual({ removed: counts.changed, kept: 0, gone: 0 })
  expect((await allContacts())[0]).toMatchObject({ name: '', note: 'old', values: { city: 'Huế' } })
  expect((await context.call(user, contacts.get, { params: { id: contact.id } })).body.version).toBe(
    1 + 2 * counts.changed,
  )
})

// R-1005
test('undo keeps what was used or changed since, and says what somebody has deleted', async () => {
  const numbers = Array.from({ length: 8 }, (_, n) => `090111111${n}`)
  const { id } = await importFile(numbers.join('\n'), { tags: ['fair'] })
  const ids = (await context.db.many<{ id: number }>(sql`select id from contacts order by id`)).map(
    ({ id }) => id,
  )
  const [edited, tagged, listed, sent, again, deleted] = ids as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  await context.call(user, contacts.update, {
    params: { id: edited },
    body: { name: 'Lan', phoneNumbers: ['+84901111110'] },
  } as never)
  await context.call(user, contacts.bulkTag, { body: { ids: [tagged], add: ['vip'] } })
  await context.db.run(sql`
    with list as (
      insert into lists (name, kind, created_by_user_name) values ('Other', 'fixed', 'lan') returning id
    )
    insert into list_contacts (list_id, contact_id) select id, ${listed} from list`)
  const job = await context.add.job({ recipients: ['84901111113@s.whatsapp.net'] })
  await context.db.run(sql`update deliveries set contact_id = ${sent} where job_id = ${job.id}`)
  await importFile(`${numbers[4]}\n0902222222`)
  await context.call(user, contacts.remove, { params: { id: deleted } })

  const found = await context.call(user, contacts.search, { body: { importId: id, sortBy: 'id' } })
  expect(found.body.data.map(({ id }) => id)).toEqual(ids.filter((id) => id !== deleted))
  expect(found.body.pagination.totalCount).toBe(7)
  expect((await get(id)).canBeUndone).toBe(true)
  await undo(id)
  await work()
  expect((await get(id)).undone).toEqual({ removed: 2, kept: 5, gone: 1 })
  const left = await context.db.many<{ id: number }>(sql`select id from contacts order by id limit 5`)
  expect(left.map(({ id }) => id)).toEqual([edited, tagged, listed, sent, again])
  expect(await undo(id)).toMatchObject({ status: 409, body: { code: 'import_not_undoable' } })
})

// R-1003, R-1005
test('an import into a list brings known and new contacts there, and undo takes both out', async () => {
  const contact = await context.add.contact({ number: '84901111111' })
  const other = await context.add.contact({ number: '84903333333' })
  const { id: listId } = await context.db.one<{ id: number }>(sql`
    insert into lists (name, kind, created_by_user_name) values ('Fair', 'fixed', 'lan') returning id`)
  await context.db.run(sql`insert into list_contacts (list_id, contact_id) values (${listId}, ${other.id})`)
  const { id, list } = await importFile('0901111111\n0902222222\n0903333333\n', { listId, known: 'keep' })
  const listed = () =>
    context.db.many(sql`select contact_id as id from list_contacts where list_id = ${listId} order by 1`)
  expect(list).toEqual({ id: listId, name: 'Fair' })
  expect(await listed()).toHaveLength(3)

  await undo(id)
  await work()
  expect(await listed()).toEqual([{ id: other.id }])
  expect(await context.db.run(sql`select from contacts where id in (${contact.id}, ${other.id})`)).toBe(2)
})

// R-1006
test('a tag that somebody deletes in this moment does not stop an import', async () => {
  const { body } = await upload('phone;tags\n0901111111;fair\n')
  await work()
  await start(body.id)
  let worked: Promise<void> | undefined
  await context.db.begin(async (tx) => {
    await tx.run(sql`delete from tags`)
    worked = work()
    await until('the import waits', async () => (await countWaiting(context.db)) > 0)
  })
  await worked
  expect(await get(body.id)).toMatchObject({ status: 'done', added: 1 })
})

// R-1006
test('an import whose worker is killed goes on with the same counts', async () => {
  await context.add.contact({ number: '84900000007' })
  // Then the file is read in a thread of its own, and in several parts.
  const note = 'note '.repeat(100)
  const lines = Array.from(
    { length: 3500 },
    (_, n) => `Lan;09000${String(n % 3400).padStart(5, '0')};${note}`,
  )
  const { body } = await upload(`name;phone;note\n${lines.join('\n')}`)
  /** Ends the process in the middle: a step is rolled back, and nobody releases the import. */
  async function killAfter(rows: number) {
    await context.db.script(`
      create or replace function die() returns trigger language plpgsql as $$
      begin
        if new.cursor > ${rows} then perform pg_terminate_backend(pg_backend_pid()); end if;
        return new;
      end $$;
      create or replace trigger die before update of cursor on imports for each row execute function die();`)
    await expect(work()).rejects.toThrow()
    await context.db.script('drop trigger die on imports')
    await context.db.run(sql`update imports set held_until = clock_now(), due_at = clock_now()`)
  }
  await killAfter(2000)
  await work()
  expect(await get(body.id)).toMatchObject({
    status: 'checked',
    rows: 3500,
    added: 3399,
    unchanged: 1,
    twice: 100,
  })

  await start(body.id, { known: 'keep' })
  await killAfter(1000)
  expect(await get(body.id)).toMatchObject({ status: 'running', progress: { done: 1000, total: 3500 } })
  await work()
  expect(fiveCounts(await get(body.id))).toEqual({
    added: 3399,
    changed: 0,
    unchanged: 1,
    twice: 100,
    refused: 0,
  })

  await undo(body.id)
  await killAfter(2000)
  await work()
  expect((await get(body.id)).undone).toEqual({ removed: 3399, kept: 0, gone: 0 })
  expect(await context.db.run(sql`select from contacts`)).toBe(1)
})

// R-1003
test('a large file is checked in time although the statistics know only the import before it', async () => {
  // With a sort of all rows for each row, this many would take longer than a test may.
  const file = (from: number) => Array.from({ length: 15_000 }, (_, n) => `09${from + n}`).join('\n')
  await upload(file(10_000_000))
  await work()
  await context.db.run(sql`analyze import_rows`)
  const { body } = await upload(file(20_000_000))
  await work()
  expect(await get(body.id)).toMatchObject({ status: 'checked', added: 15_000 })
})

// R-1006
test('a number that somebody adds in the same moment gets no second contact', async () => {
  const { body } = await upload('0901111111\n0902222222\n')
  await work()
  await start(body.id)
  const held = context.db.dedicated()
  const [added, working] = await held.begin(async (tx) => {
    await tx.run(sql`
      with made as (
        insert into contacts (name, numbers, source, source_name) values ('Lan', '84901111111', 'form', 'lan')
        returning id
      )
      insert into contact_identities (contact_id, kind, value, is_primary)
      select id, 'phone', '84901111111', true from made`)
    const working = work()
    await until('the import waits', async () => (await countWaiting(context.db)) > 0)
    return [await tx.run(sql`select from contacts`), working]
  })
  await working
  await held.end()
  expect(added).toBe(1)
  expect(fiveCounts(await get(body.id))).toMatchObject({ added: 1, unchanged: 1 })
  expect(await context.db.run(sql`select from contacts`)).toBe(2)
})

// R-1007
test.each([
  ['nothing', '', 'file_empty'],
  ['empty rows', ';;\n\n;;\n', 'file_empty'],
  ['a PDF', '%PDF-1.7', 'file_unsupported'],
  ['an xlsx that was cut off', 'PK\x03\x04 and so on', 'file_damaged'],
  ['101 columns', `${'x,'.repeat(100)}x\n`, 'file_too_many_columns'],
  ['21 MB', Buffer.alloc(21 << 20, 'x'), 'file_too_large'],
])('a file with %s is refused at once and leaves nothing', async (_case, bytes, code) => {
  expect((await upload(bytes)).body.code).toBe(code)
  expect(await context.db.run(sql`select from imports`)).toBe(0)
})

// R-1007
test('what is wrong far behind is told by the check, and nothing is imported', async () => {
  const { body } = await upload(`name;phone\n${'Lan;0901234567\n'.repeat(100)}"An;0902234567\n`)
  await work()
  expect(await get(body.id)).toMatchObject({ status: 'checked', fault: { code: 'file_unclosed_quote' } })
  expect(await start(body.id)).toMatchObject({ status: 409, body: { code: 'import_not_ready' } })
})

// R-1002
test('what was recognised can be changed, in a tab that knows the present state', async () => {
  const { body } = await upload('name;phone\nLan;0912345678\nAn;12025550123\n')
  const { id, version, reading } = body
  expect(reading).toMatchObject({ hasHeader: true, columns: ['name', 'phone'] })
  const read = (change: Partial<Input<typeof imports.read>['body']>) =>
    context.call(user, imports.read, { params: { id }, body: { country: 'VN', ...change } })
  const changed = await read({ separator: ',', version })
  expect(changed.body).toMatchObject({ status: 'checked', fault: { code: 'no_phone_column' } })
  expect(await read({ version })).toMatchObject({ status: 409, body: { code: 'stale_version' } })
  expect(await read({ country: 'XX' })).toMatchObject({
    status: 400,
    body: { fields: { country: 'IMPORT.COUNTRY_INVALID' } },
  })
  expect(await read({ columns: ['phone', 'phone'] })).toMatchObject({
    status: 400,
    body: { fields: { columns: 'IMPORT.COLUMNS_TWICE' } },
  })

  const us = await read({ country: 'US', hasHeader: true, columns: [null, 'phone'] })
  await work()
  expect((await preview(id)).rows.map(({ cells, problem }) => [...cells, problem?.code])).toEqual([
    ['Lan', '+10912345678', undefined],
    ['An', '+12025550123', undefined],
  ])
  expect(await start(id, { version })).toMatchObject({ status: 409, body: { code: 'stale_version' } })
  expect(await start(id, { version: us.body.version, consent: ' ' })).toMatchObject({
    body: { fields: { consent: 'IMPORT.CONSENT_REQUIRED' } },
  })
  expect(await start(id, { listId: 99 })).toMatchObject({
    body: { fields: { listId: 'IMPORT.LIST_INVALID' } },
  })
  expect(await start(id, { version: us.body.version })).toMatchObject({ status: 200 })
  // The other tab.
  expect(await start(id)).toMatchObject({ status: 409, body: { code: 'import_not_ready' } })
  expect(await context.call(user, imports.remove, { params: { id } })).toMatchObject({ status: 409 })
})

// R-1000, R-1008
test('everybody has an import of their own, one at a time, and Admins see all', async () => {
  const other = await context.add.user({ canManageContacts: true })
  const admin = await context.add.admin()
  const [first, second] = [await upload('0901111111\n'), await upload('0902222222\n')]
  const theirs = await upload('0903333333\n', other)
  await work()
  await start(first.body.id)
  expect(await start(second.body.id)).toMatchObject({ status: 409, body: { code: 'import_busy' } })
  const startTheirs = (as: TestUser) =>
    context.call(as, imports.start, { params: { id: theirs.body.id }, body: plan })
  expect(await startTheirs(user)).toMatchObject({ status: 404 })
  await context.db.run(sql`update users set is_active = false where id = ${other.id}`)
  expect(await startTheirs(admin)).toMatchObject({ status: 409, body: { code: 'import_not_allowed' } })
  await context.db.run(sql`update users set is_active = true where id = ${other.id}`)
  expect(await startTheirs(other)).toMatchObject({ status: 200 })

  const idsOf = async (as: TestUser) =>
    (await context.call(as, imports.list, {})).body.data.map(({ id }) => id)
  expect(await idsOf(user)).toEqual([second.body.id, first.body.id])
  expect(await idsOf(admin)).toEqual([theirs.body.id, second.body.id, first.body.id])
})

// R-1008
test('five files of a user wait at most, for a day', async () => {
  for (let n = 0; n < 5; n++) expect((await upload('0901111111\n')).status).toBe(201)
  expect(await upload('0901111111\n')).toMatchObject({ status: 409, body: { code: 'too_many_imports' } })
  await deleteOldImports(context.db, signal)
  expect(await context.db.run(sql`select from imports`)).toBe(5)
  await context.moveClock('24 hours')
  await deleteOldImports(context.db, signal)
  expect(await context.db.run(sql`select from imports`)).toBe(0)
  expect(await context.db.run(sql`select from import_parts`)).toBe(0)
})

// R-1008
test('five imports of a user wait at most, also if more are asked for at once', async () => {
  const instance = await context.add.instance()
  const member = await context.add.user({ canManageContacts: true, instances: [instance] })
  const ask = () => context.call(member, imports.fromInstance, { body: { instanceId: instance.id } })
  await Promise.all(Array.from({ length: 12 }, ask))
  expect(await context.db.run(sql`select from imports`)).toBe(5)
})

// R-1008
test('uploads that ended with their server keep nobody from importing for more than an hour', async () => {
  for (let n = 0; n < 5; n++) {
    const { body } = await upload('0901111111\n')
    await context.db.run(sql`update imports set status = 'uploading' where id = ${body.id}`)
  }
  await context.moveClock('59 minutes')
  await deleteOldImports(context.db, signal)
  expect((await upload('0901111111\n')).body.code).toBe('too_many_imports')
  await context.moveClock('61 seconds')
  await deleteOldImports(context.db, signal)
  expect((await upload('0901111111\n')).status).toBe(201)
})

// R-1008
test('after a month an import keeps its counts, its consent and its people, and nothing else', async () => {
  const { id } = await importFile('name;phone\nLan;0901111111\nAn;hello\n')
  await context.moveClock('30 days')
  await deleteOldImports(context.db, signal)
  expect(await get(id)).toMatchObject({
    added: 1,
    refused: 1,
    consent: plan.consent,
    canBeUndone: false,
    hasProblems: false,
  })
  expect(await context.db.many(sql`select outcome, before, tag_ids from import_rows`)).toEqual([
    { outcome: 'added', before: null, tagIds: null },
  ])
  expect(await undo(id)).toMatchObject({ status: 409 })
  expect(await context.call(user, imports.problems, { params: { id } })).toMatchObject({ status: 404 })
})

// R-1009
test('members of groups are imported once each, without the account itself', async () => {
  const instance = await context.add.instance({ whatsAppNumber: '+84 909 999 999' })
  const member = await context.add.user({ canManageContacts: true, instances: [instance] })
  const [one, two, elsewhere] = [
    await context.add.group({ instanceId: instance.id }),
    await context.add.group({ instanceId: instance.id }),
    await context.add.group(),
  ]
  await context.db.run(sql`
    insert into participants (group_id, person_id, rank, name) values
      (${one.id}, '84901111111', 'member', 'Lan {{name}} \u200f'), (${two.id}, '84901111111', 'admin', null),
      (${one.id}, '12345678901234@lid', 'member', 'Hidden'), (${one.id}, '84909999999', 'creator', 'Self')`)
  const from = (as: TestUser, groupIds: number[]) =>
    context.call(as, imports.fromInstance, { body: { instanceId: instance.id, groupIds } })
  expect(await from(member, [elsewhere.id])).toMatchObject({ status: 400 })
  expect(await from(user, [one.id])).toMatchObject({ status: 400 })
  const withoutRight = await context.add.user({
    canManageContacts: true,
    canExportParticipants: false,
    instances: [instance],
  })
  expect(await from(withoutRight, [one.id])).toMatchObject({ status: 403 })

  const { body } = await from(member, [one.id, two.id])
  await work()
  const found = await context.call(member, imports.preview, { params: { id: body.id } })
  expect(found.body.rows.map(({ cells }) => cells)).toEqual([
    ['12345678901234', 'Hidden'],
    ['+84901111111', 'Lan name'],
  ])
  await context.call(member, imports.start, { params: { id: body.id }, body: plan })
  await work()
  expect(await context.db.many(sql`select name, numbers, source_name from contacts order by name`)).toEqual([
    { name: 'Hidden', numbers: '', sourceName: instance.name },
    { name: 'Lan name', numbers: '84901111111', sourceName: instance.name },
  ])
})

// R-1009
test('the address book of an account is read page by page, as long as the user has the account', async () => {
  const instance = await context.add.instance()
  const member = await context.add.user({ canManageContacts: true, instances: [instance] })
  const all = Array.from({ length: 1200 }, (_, n) => ({
    personId: `8490${String(n).padStart(7, '0')}`,
    name: `N${n}`,
  }))
  const contactsOf = async (_: unknown, { offset, count }: { offset: number; count: number }) => ({
    rows: all.slice(offset, offset + count),
    next: Math.min(all.length, offset + count),
    total: all.length,
  })
  const provider = { contacts: contactsOf } as never
  const read = async () => {
    const { body } = await context.call(member, imports.fromInstance, { body: { instanceId: instance.id } })
    return body.id
  }
  const workWith = () =>
    workOnImports(
      { db: context.db, secrets: context.secrets, providers: { live: provider, test: provider } },
      signal,
    )
  const look = async (id: number) => (await context.call(member, imports.get, { params: { id } })).body

  const id = await read()
  await workWith()
  expect(await look(id)).toMatchObject({ status: 'checked', added: 1200, rows: 1200 })

  const start = () => context.call(member, imports.start, { params: { id }, body: plan })
  const late = await read()
  await context.db.run(sql`delete from user_instances`)
  await workWith()
  expect(await look(late)).toMatchObject({ status: 'checked', fault: { code: 'forbidden' }, instance: null })
  expect(await start()).toMatchObject({ status: 409, body: { code: 'import_not_allowed' } })
})

// R-1010
test('the audit log knows numbers of rows, and no names, numbers and files', async () => {
  await addFields()
  const { id } = await importFile(FILE)
  await undo(id)
  await work()
  const entries = await context.db.many<{ action: string; details: object }>(sql`
    select action, details from audit_log where object_type = 'import' order by id`)
  expect(entries).toEqual([
    { action: 'import.create', details: { source: 'file' } },
    {
      action: 'import.start',
      details: { known: 'overwrite', listId: null, tags: 0, consent: plan.consent },
    },
    {
      action: 'import.end',
      details: { rows: 5, added: 2, changed: 0, unchanged: 0, twice: 1, refused: 2 },
    },
    { action: 'import.undo', details: {} },
    { action: 'import.undone', details: { removed: 2, kept: 0, gone: 0 } },
  ])
})
