import { contract } from '@sendroom/contract'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { photo, picture } from '../../../test/pictures.ts'
import { sql, values } from '../../platform/database/sql.ts'

const context = useContext()
const { messages } = contract

const NOT_FOUND = { status: 404, body: { code: 'not_found' } }
const FORBIDDEN = { status: 403, body: { code: 'forbidden' } }

type Fields = Record<string, string | number | (string | number)[]>

function form(fields: Fields, file?: Buffer, fileName = 'picture.png') {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) data.append(name, String(one))
  if (file) data.append('imageFile', new Blob([new Uint8Array(file)], { type: 'image/png' }), fileName)
  return data
}

async function memberWithInstance() {
  const instance = await context.add.instance()
  return { instance, member: await context.add.user({ instances: [instance] }) }
}

const list = (user: TestUser | null, query = {}) => context.call(user, messages.list, { query })
const get = (user: TestUser, id: number) => context.call(user, messages.get, { params: { id } })
const download = async (url: string | null) => (await (await context.app).inject(url ?? '')).rawPayload

test('a file in another field is refused, because the message would lose its image', async () => {
  const { member } = await memberWithInstance()
  const body = form({ textContent: 'Hello' })
  body.append('image', new Blob([new Uint8Array(await picture())]), 'picture.png')

  const answer = await context.call(member, messages.create, { body })

  expect(answer).toMatchObject({ status: 400, body: { fields: { image: 'FIELD.INVALID' } } })
  expect(await context.db.many(sql`select from messages`)).toHaveLength(0)
})

test('a form may have more than a thousand groups', async () => {
  const { instance, member } = await memberWithInstance()
  const group = await context.db.maybeOne<{ id: number }>(sql`
    with made as (
      insert into groups (instance_id, chat_id, name)
      select ${instance.id}, n || '@g.us', 'Group ' || n from generate_series(1, 1100) n returning id
    )
    select min(id) as id from made`)
  const groupIds = Array.from({ length: 1100 }, (_, n) => (group?.id ?? 0) + n)

  const made = await context.call(member, messages.create, {
    body: form({ textContent: 'Hello', instanceId: instance.id, groupIds }),
  })

  expect(made.status).toBe(201)
  expect(made.body.assignedGroups).toHaveLength(1100)
})

test('a form with many long fields is refused before it fills the memory', async () => {
  const { member } = await memberWithInstance()
  const groupIds = Array.from({ length: 20 }, () => '1'.repeat(60_000))

  const made = await context.call(member, messages.create, { body: form({ textContent: 'Hello', groupIds }) })

  expect(made).toMatchObject({ status: 413, body: { code: 'too_large' } })
})

test('a text that the database can’t store is invalid input', async () => {
  const { member } = await memberWithInstance()

  const written = await context.call(member, messages.create, { body: { textContent: 'a\0b' } })
  const searched = await list(member, { search: 'a\0b' })

  expect(written).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  expect(searched).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
})

test('a message is created with its groups and shown with their names', async () => {
  const { instance, member } = await memberWithInstance()
  const group = await context.add.group({ instanceId: instance.id, name: 'Friends' })

  const made = await context.call(member, messages.create, {
    body: { textContent: 'Hello', instanceId: instance.id, groupIds: [group.id, group.id] },
  })

  expect(made).toMatchObject({
    status: 201,
    body: {
      textContent: 'Hello',
      imageUrl: null,
      instanceName: instance.name,
      createdByUserName: member.username,
      assignedGroups: [{ id: group.id, name: 'Friends' }],
    },
  })
  expect((await get(member, made.body.id)).body).toEqual(made.body)
})

test.each([messages.create, messages.createWithFile])(
  //
  '$path accepts a form with a photo, turns it upright and removes its metadata',
  async (endpoint) => {
    const { instance, member } = await memberWithInstance()
    const groups = [
      await context.add.group({ instanceId: instance.id }),
      await context.add.group({ instanceId: instance.id }),
    ]
    const fields = { textContent: 'Look', instanceId: instance.id, groupIds: groups.map(({ id }) => id) }

    const made = await context.call(member, endpoint, { body: form(fields, await photo()) })

    expect(made).toMatchObject({ status: 201, body: { textContent: 'Look', instanceId: instance.id } })
    expect(made.body.assignedGroups).toHaveLength(2)
    const served = await sharp(await download(made.body.imageUrl)).metadata()
    expect(served).toMatchObject({ format: 'jpeg', width: 20, height: 40 })
    expect(served).not.toHaveProperty('exif')
  },
)

test('a form without a file, an instance and groups creates a text message', async () => {
  const member = await context.add.user()

  const made = await context.call(member, messages.create, {
    body: form({ textContent: 'Hello', instanceId: '' }),
  })

  expect(made).toMatchObject({ status: 201, body: { instanceId: null, imageUrl: null, assignedGroups: [] } })
})

//
test('a text file with an image type is refused, and so is an image of 6 MB', async () => {
  const member = await context.add.user()
  const send = (file: Buffer) =>
    context.call(member, messages.create, { body: form({ textContent: 'Look' }, file) })

  expect(await send(Buffer.from('no picture'))).toMatchObject({ status: 415, body: { code: 'not_an_image' } })
  expect(await send(Buffer.alloc(6 * 1024 * 1024, await picture()))).toMatchObject({
    status: 413,
    body: { code: 'image_too_large' },
  })
  expect(await context.db.many(sql`select from messages`)).toHaveLength(0)
})

test('an image that can’t be stored is refused with an explanation, and creates no message', async () => {
  const member = await context.add.user()
  await context.breakImages()

  const made = await context.call(member, messages.create, {
    body: form({ textContent: 'Look' }, await picture()),
  })

  expect(made).toMatchObject({ status: 503, body: { code: 'image_store_down' } })
  expect(await context.db.many(sql`select from messages`)).toHaveLength(0)
})

test.each([
  ['no text', { textContent: ' ' }, { textContent: 'MESSAGE.TEXT_REQUIRED' }],
  ['a text of 4001 characters', { textContent: 'x'.repeat(4001) }, { textContent: 'MESSAGE.TEXT_TOO_LONG' }],
  ['an unknown instance', { instanceId: 999_999 }, { instanceId: 'MESSAGE.INSTANCE_INVALID' }],
  ['an unknown group', { groupIds: [999_999] }, { groupIds: 'MESSAGE.GROUP_INVALID' }],
])('%s is named by its field', async (_case, fields, expected) => {
  const member = await context.add.user()

  const answer = await context.call(member, messages.create, { body: { textContent: 'Hello', ...fields } })

  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input', fields: expected } })
})

//
test('the author must see the instance and the groups, and the groups must belong to the instance', async () => {
  const { instance, member } = await memberWithInstance()
  const elsewhere = await context.add.group()
  const create = (user: TestUser, body: object) =>
    context.call(user, messages.create, { body: { textContent: 'Hello', ...body } })

  expect(await create(member, { instanceId: elsewhere.instanceId })).toMatchObject({
    body: { fields: { instanceId: 'MESSAGE.INSTANCE_INVALID' } },
  })
  expect(await create(member, { groupIds: [elsewhere.id] })).toMatchObject({
    body: { fields: { groupIds: 'MESSAGE.GROUP_INVALID' } },
  })
  expect(
    await create(await context.add.admin(), { instanceId: instance.id, groupIds: [elsewhere.id] }),
  ).toMatchObject({ body: { fields: { groupIds: 'MESSAGE.GROUP_INVALID' } } })
})

//
test('a change replaces text, instance and groups, and keeps the image', async () => {
  const { instance, member } = await memberWithInstance()
  const [before, after] = [
    await context.add.group({ instanceId: instance.id }),
    await context.add.group({ instanceId: instance.id }),
  ]
  const { body: made } = await context.call(member, messages.create, {
    body: form({ textContent: 'Look', groupIds: before.id }, await picture()),
  })

  const changed = await context.call(member, messages.update, {
    params: { id: made.id },
    body: { textContent: 'See', instanceId: instance.id, groupIds: [after.id], removeImage: false },
  })

  expect(changed).toMatchObject({
    status: 200,
    body: { textContent: 'See', instanceId: instance.id, imageUrl: made.imageUrl, createdAt: made.createdAt },
  })
  expect(changed.body.assignedGroups).toMatchObject([{ id: after.id }])
})

//
test('an image is replaced by a new file, and removed on request', async () => {
  const member = await context.add.user()
  const { body: made } = await context.call(member, messages.create, {
    body: form({ textContent: 'Look' }, await picture()),
  })
  const params = { id: made.id }

  const replaced = await context.call(member, messages.updateWithFile, {
    params,
    body: form({ textContent: 'Look', removeImage: 'false' }, await picture('gif')),
  })
  expect(replaced.body.imageUrl).toMatch(/\.gif$/)

  const removed = await context.call(member, messages.updateWithFile, {
    params,
    body: form({ textContent: 'Look', removeImage: 'true' }),
  })
  expect(removed).toMatchObject({ status: 200, body: { imageUrl: null } })
})

test('the call without a file accepts no form', async () => {
  const member = await context.add.user()
  const { id } = await context.add.message({ createdByUserId: member.id })

  const answer = await context.call(member, messages.update, {
    params: { id },
    // @ts-expect-error the contract allows no form for this endpoint
    body: form({ textContent: 'Hello' }),
  })

  expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_type' } })
})

//
test('a Member sees the messages of their instances and their own without an instance, an Admin all', async () => {
  const { instance, member } = await memberWithInstance()
  const ofInstance = await context.add.message({ instanceId: instance.id })
  const own = await context.add.message({ createdByUserId: member.id })
  const elsewhere = await context.add.message({
    instanceId: (await context.add.instance()).id,
    createdByUserId: member.id,
  })
  const ofNobody = await context.add.message()

  const ids = async (user: TestUser) => (await list(user)).body.data.map(({ id }) => id)
  expect(await ids(member)).toEqual([own.id, ofInstance.id])
  expect(await ids(await context.add.admin())).toEqual([ofNobody.id, elsewhere.id, own.id, ofInstance.id])

  for (const { id } of [elsewhere, ofNobody]) {
    const params = { id }
    expect(await get(member, id)).toMatchObject(NOT_FOUND)
    expect(
      await context.call(member, messages.update, { params, body: { textContent: 'Mine' } }),
    ).toMatchObject(NOT_FOUND)
    expect(await context.call(member, messages.remove, { params })).toMatchObject(NOT_FOUND)
  }
  expect(await context.db.many(sql`select from messages where text_content = 'Mine'`)).toHaveLength(0)
})

//
test('an Admin’s message without an instance is a template that every Member reads and uses', async () => {
  const { instance, member } = await memberWithInstance()
  const admin = await context.add.admin()
  const written = await context.call(admin, messages.createWithFile, {
    body: form({ textContent: 'Opening hours' }, await picture()),
  })
  const { id, imageUrl } = written.body

  expect((await get(member, id)).body).toMatchObject({ isShared: true, imageUrl, instanceId: null })
  expect((await list(member)).body.data).toMatchObject([{ id, isShared: true, imageUrl }])
  const job = await context.call(member, contract.jobs.create, {
    body: { messageId: id, instanceId: instance.id, jobType: 'SendToUsers', phoneNumbers: '0901234567' },
  })
  expect(job).toMatchObject({ status: 201 })
  expect(
    await context.db.many(sql`select text_content, image_id is not null as has_image from jobs`),
  ).toEqual([{ textContent: 'Opening hours', hasImage: true }])
})

//
test('a template stays shared when its author is gone, and an author who is a Member now may still change it', async () => {
  const [member, admin] = [await context.add.user(), await context.add.admin()]
  const { id } = (await context.call(admin, messages.create, { body: { textContent: 'Hello' } })).body
  const change = async (user: TestUser) =>
    (await context.call(user, messages.update, { params: { id }, body: { textContent: 'New' } })).status

  await context.db.run(sql`update users set role = 'Member' where id = ${admin.id}`)
  expect([await change(member), await change(admin)]).toEqual([403, 200])
  await context.db.run(sql`delete from users where id = ${admin.id}`)
  expect((await get(member, id)).body).toMatchObject({ isShared: true })
})

//
test('an Admin’s message with an instance is not shared, and no Member can make it so', async () => {
  const { instance, member } = await memberWithInstance()
  const admin = await context.add.admin()
  const body = { textContent: 'Hello', instanceId: instance.id }
  const { id } = (await context.call(admin, messages.create, { body })).body

  expect(await get(await context.add.user(), id)).toMatchObject(NOT_FOUND)
  expect((await get(member, id)).body).toMatchObject({ isShared: false })
  expect(
    await context.call(member, messages.update, { params: { id }, body: { ...body, instanceId: null } }),
  ).toMatchObject({ status: 400, body: { fields: { instanceId: 'MESSAGE.INSTANCE_INVALID' } } })
})

//
test('a message does not show groups that a Member no longer sees', async () => {
  const member = await context.add.user()
  const message = await context.add.message({ createdByUserId: member.id })
  const group = await context.add.group()
  await context.db.run(
    sql`insert into message_groups ${values({ messageId: message.id, groupId: group.id })}`,
  )

  expect((await get(member, message.id)).body.assignedGroups).toEqual([])
  expect((await get(await context.add.admin(), message.id)).body.assignedGroups).toMatchObject([
    { id: group.id },
  ])
})

test('a Member can’t remove the instance of another user’s message, because they would lose sight of the message', async () => {
  const { instance, member } = await memberWithInstance()
  const { id } = await context.add.message({ instanceId: instance.id })

  const answer = await context.call(member, messages.update, {
    params: { id },
    body: { textContent: 'Hello', instanceId: null },
  })

  expect(answer).toMatchObject({
    status: 400,
    body: { fields: { instanceId: 'MESSAGE.INSTANCE_INVALID' } },
  })
  expect(await context.db.many(sql`select instance_id from messages`)).toEqual([{ instanceId: instance.id }])
})

//
test('a Member without the right to send messages reads them, but changes nothing', async () => {
  const instance = await context.add.instance()
  const reader = await context.add.user({ instances: [instance], canSendMessages: false })
  const { id } = await context.add.message({ instanceId: instance.id })
  const params = { id }
  const body = { textContent: 'Mine' }

  expect(await get(reader, id)).toMatchObject({ status: 200 })
  expect(await context.call(reader, messages.create, { body })).toMatchObject(FORBIDDEN)
  expect(await context.call(reader, messages.createWithFile, { body })).toMatchObject(FORBIDDEN)
  expect(await context.call(reader, messages.update, { params, body })).toMatchObject(FORBIDDEN)
  expect(await context.call(reader, messages.updateWithFile, { params, body })).toMatchObject(FORBIDDEN)
  expect(await context.call(reader, messages.remove, { params })).toMatchObject(FORBIDDEN)
  expect(await context.call(reader, messages.bulkDelete, { body: { ids: [id] } })).toMatchObject(FORBIDDEN)
  expect(await context.db.many(sql`select text_content from messages`)).not.toMatchObject([body])
})

test('every call needs a session', async () => {
  const params = { id: 1 }
  const body = { textContent: 'Hello' }
  const answers = [
    await list(null),
    await context.call(null, messages.get, { params }),
    await context.call(null, messages.create, { body }),
    await context.call(null, messages.createWithFile, { body: form(body, await picture()) }),
    await context.call(null, messages.update, { params, body }),
    await context.call(null, messages.updateWithFile, { params, body }),
    await context.call(null, messages.remove, { params }),
    await context.call(null, messages.bulkDelete, { body: { ids: [1] } }),
  ]
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
})

//
test('a deleted message leaves its job with text and image', async () => {
  const member = await context.add.user()
  const { id } = await context.add.message({ createdByUserId: member.id })
  const job = await context.add.job({ messageId: id, textContent: 'Kept' })

  expect(await context.call(member, messages.remove, { params: { id } })).toMatchObject({ status: 204 })

  expect(await context.db.many(sql`select id, message_id, text_content from jobs`)).toEqual([
    { id: job.id, messageId: null, textContent: 'Kept' },
  ])
})

//
test('a bulk delete deletes all of the messages or none', async () => {
  const member = await context.add.user()
  const [own, other] = [
    await context.add.message({ createdByUserId: member.id }),
    await context.add.message(),
  ]
  const bulk = (ids: number[]) => context.call(member, messages.bulkDelete, { body: { ids } })

  expect(await bulk([own.id, other.id])).toMatchObject(NOT_FOUND)
  expect(await bulk([own.id, 999_999])).toMatchObject(NOT_FOUND)
  expect(await bulk([])).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  expect(await context.db.many(sql`select from messages`)).toHaveLength(2)

  expect(await bulk([own.id, own.id])).toMatchObject({ status: 204 })
  expect(await context.db.many(sql`select id from messages`)).toEqual([{ id: other.id }])
})

//
test('the list is searched literally and without accents, sorted and paged', async () => {
  const admin = await context.add.admin()
  for (const textContent of ['50% off', '50 offers', 'snake_case', 'snakeXcase Khách'])
    await context.add.message({ textContent })
  const texts = async (query: object) => (await list(admin, query)).body.data.map((row) => row.textContent)

  expect(await texts({ search: '50%' })).toEqual(['50% off'])
  expect(await texts({ search: 'E_C' })).toEqual(['snake_case'])
  expect(await texts({ search: 'khach' })).toEqual(['snakeXcase Khách'])
  expect(await texts({ sortBy: 'textContent', sortDirection: 'asc', pageSize: 2 })).toEqual([
    '50 offers',
    '50% off',
  ])
  expect((await list(admin, { page: 2, pageSize: 3 })).body).toMatchObject({
    data: [{ textContent: '50% off' }],
    pagination: { currentPage: 2, totalCount: 4, totalPages: 2, hasPrevious: true, hasNext: false },
  })
})

test.each([{ sortBy: 'image_id' }, { page: 0 }, { pageSize: 1001 }])('the list refuses %o', async (query) => {
  expect(await list(await context.add.admin(), query)).toMatchObject({ status: 400 })
})
