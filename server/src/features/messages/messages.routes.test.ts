import { contract } from '@sendroom/contract'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { TestUser } from '../../../test/factories.ts'
import { photo, picture } from '../../../test/pictures.ts'
import { useWorld } from '../../../test/world.ts'
import { sql, values } from '../../platform/database/sql.ts'

const world = useWorld()
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
  const instance = await world.add.instance()
  return { instance, member: await world.add.user({ instances: [instance] }) }
}

const list = (user: TestUser | null, query = {}) => world.call(user, messages.list, { query })
const get = (user: TestUser, id: number) => world.call(user, messages.get, { params: { id } })
const download = async (url: string | null) => (await (await world.app).inject(url ?? '')).rawPayload

test('a file in another field is refused by its name: without its image the message would be another', async () => {
  const { member } = await memberWithInstance()
  const body = form({ textContent: 'Hello' })
  body.append('image', new Blob([new Uint8Array(await picture())]), 'picture.png')

  const answer = await world.call(member, messages.create, { body })

  expect(answer).toMatchObject({ status: 400, body: { fields: { image: 'FIELD.INVALID' } } })
  expect(await world.db.many(sql`select from messages`)).toHaveLength(0)
})

test('a form carries more groups than a thousand', async () => {
  const { instance, member } = await memberWithInstance()
  const group = await world.db.maybeOne<{ id: number }>(sql`
    with made as (
      insert into groups (instance_id, chat_id, name)
      select ${instance.id}, n || '@g.us', 'Group ' || n from generate_series(1, 1100) n returning id
    )
    select min(id) as id from made`)
  const groupIds = Array.from({ length: 1100 }, (_, n) => (group?.id ?? 0) + n)

  const made = await world.call(member, messages.create, {
    body: form({ textContent: 'Hello', instanceId: instance.id, groupIds }),
  })

  expect(made.status).toBe(201)
  expect(made.body.assignedGroups).toHaveLength(1100)
})

test('a form of many long fields is refused before it fills the memory', async () => {
  const { member } = await memberWithInstance()
  const groupIds = Array.from({ length: 20 }, () => '1'.repeat(60_000))

  const made = await world.call(member, messages.create, { body: form({ textContent: 'Hello', groupIds }) })

  expect(made).toMatchObject({ status: 413, body: { code: 'too_large' } })
})

test('what the database can not hold is refused as wrong input', async () => {
  const { member } = await memberWithInstance()

  const written = await world.call(member, messages.create, { body: { textContent: 'a\0b' } })
  const searched = await list(member, { search: 'a\0b' })

  expect(written).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  expect(searched).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
})

test('a message is written with its groups and shown with their names', async () => {
  const { instance, member } = await memberWithInstance()
  const group = await world.add.group({ instanceId: instance.id, name: 'Friends' })

  const made = await world.call(member, messages.create, {
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
  '$path takes a form with a photo, which is turned upright and told nothing of its maker',
  async (endpoint) => {
    const { instance, member } = await memberWithInstance()
    const groups = [
      await world.add.group({ instanceId: instance.id }),
      await world.add.group({ instanceId: instance.id }),
    ]
    const fields = { textContent: 'Look', instanceId: instance.id, groupIds: groups.map(({ id }) => id) }

    const made = await world.call(member, endpoint, { body: form(fields, await photo()) })

    expect(made).toMatchObject({ status: 201, body: { textContent: 'Look', instanceId: instance.id } })
    expect(made.body.assignedGroups).toHaveLength(2)
    const served = await sharp(await download(made.body.imageUrl)).metadata()
    expect(served).toMatchObject({ format: 'jpeg', width: 20, height: 40 })
    expect(served).not.toHaveProperty('exif')
  },
)

test('a form without a file, an instance and groups is a plain message', async () => {
  const member = await world.add.user()

  const made = await world.call(member, messages.create, {
    body: form({ textContent: 'Hello', instanceId: '' }),
  })

  expect(made).toMatchObject({ status: 201, body: { instanceId: null, imageUrl: null, assignedGroups: [] } })
})

//
test('a text that calls itself a picture is refused, and so is a picture of 6 MB', async () => {
  const member = await world.add.user()
  const send = (file: Buffer) =>
    world.call(member, messages.create, { body: form({ textContent: 'Look' }, file) })

  expect(await send(Buffer.from('no picture'))).toMatchObject({ status: 415, body: { code: 'not_an_image' } })
  expect(await send(Buffer.alloc(6 * 1024 * 1024, await picture()))).toMatchObject({
    status: 413,
    body: { code: 'image_too_large' },
  })
  expect(await world.db.many(sql`select from messages`)).toHaveLength(0)
})

test('an image that can not be stored is said in words, and no message is made without it', async () => {
  const member = await world.add.user()
  await world.breakImages()

  const made = await world.call(member, messages.create, {
    body: form({ textContent: 'Look' }, await picture()),
  })

  expect(made).toMatchObject({ status: 503, body: { code: 'image_store_down' } })
  expect(await world.db.many(sql`select from messages`)).toHaveLength(0)
})

test.each([
  ['no text', { textContent: ' ' }, { textContent: 'MESSAGE.TEXT_REQUIRED' }],
  ['a text of 4001 characters', { textContent: 'x'.repeat(4001) }, { textContent: 'MESSAGE.TEXT_TOO_LONG' }],
  ['an unknown instance', { instanceId: 999_999 }, { instanceId: 'MESSAGE.INSTANCE_INVALID' }],
  ['an unknown group', { groupIds: [999_999] }, { groupIds: 'MESSAGE.GROUP_INVALID' }],
])('%s is named by its field', async (_case, fields, expected) => {
  const member = await world.add.user()

  const answer = await world.call(member, messages.create, { body: { textContent: 'Hello', ...fields } })

  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input', fields: expected } })
})

//
test('instance and groups must be the author’s to see, and the groups of that instance', async () => {
  const { instance, member } = await memberWithInstance()
  const elsewhere = await world.add.group()
  const create = (user: TestUser, body: object) =>
    world.call(user, messages.create, { body: { textContent: 'Hello', ...body } })

  expect(await create(member, { instanceId: elsewhere.instanceId })).toMatchObject({
    body: { fields: { instanceId: 'MESSAGE.INSTANCE_INVALID' } },
  })
  expect(await create(member, { groupIds: [elsewhere.id] })).toMatchObject({
    body: { fields: { groupIds: 'MESSAGE.GROUP_INVALID' } },
  })
  expect(
    await create(await world.add.admin(), { instanceId: instance.id, groupIds: [elsewhere.id] }),
  ).toMatchObject({ body: { fields: { groupIds: 'MESSAGE.GROUP_INVALID' } } })
})

//
test('a change replaces text, instance and groups, and keeps the image', async () => {
  const { instance, member } = await memberWithInstance()
  const [before, after] = [
    await world.add.group({ instanceId: instance.id }),
    await world.add.group({ instanceId: instance.id }),
  ]
  const { body: made } = await world.call(member, messages.create, {
    body: form({ textContent: 'Look', groupIds: before.id }, await picture()),
  })

  const changed = await world.call(member, messages.update, {
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
  const member = await world.add.user()
  const { body: made } = await world.call(member, messages.create, {
    body: form({ textContent: 'Look' }, await picture()),
  })
  const params = { id: made.id }

  const replaced = await world.call(member, messages.updateWithFile, {
    params,
    body: form({ textContent: 'Look', removeImage: 'false' }, await picture('gif')),
  })
  expect(replaced.body.imageUrl).toMatch(/\.gif$/)

  const removed = await world.call(member, messages.updateWithFile, {
    params,
    body: form({ textContent: 'Look', removeImage: 'true' }),
  })
  expect(removed).toMatchObject({ status: 200, body: { imageUrl: null } })
})

test('changing without a file takes no form', async () => {
  const member = await world.add.user()
  const { id } = await world.add.message({ createdByUserId: member.id })

  const answer = await world.call(member, messages.update, {
    params: { id },
    // @ts-expect-error the contract has no form here
    body: form({ textContent: 'Hello' }),
  })

  expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_type' } })
})

//
test('a member sees the messages of their instances and their own without one; an Admin sees all', async () => {
  const { instance, member } = await memberWithInstance()
  const ofInstance = await world.add.message({ instanceId: instance.id })
  const own = await world.add.message({ createdByUserId: member.id })
  const elsewhere = await world.add.message({
    instanceId: (await world.add.instance()).id,
    createdByUserId: member.id,
  })
  const ofNobody = await world.add.message()

  const ids = async (user: TestUser) => (await list(user)).body.data.map(({ id }) => id)
  expect(await ids(member)).toEqual([own.id, ofInstance.id])
  expect(await ids(await world.add.admin())).toEqual([ofNobody.id, elsewhere.id, own.id, ofInstance.id])

  for (const { id } of [elsewhere, ofNobody]) {
    const params = { id }
    expect(await get(member, id)).toMatchObject(NOT_FOUND)
    expect(
      await world.call(member, messages.update, { params, body: { textContent: 'Mine' } }),
    ).toMatchObject(NOT_FOUND)
    expect(await world.call(member, messages.remove, { params })).toMatchObject(NOT_FOUND)
  }
  expect(await world.db.many(sql`select from messages where text_content = 'Mine'`)).toHaveLength(0)
})

//
test('groups that a member no longer sees are not named to them', async () => {
  const member = await world.add.user()
  const message = await world.add.message({ createdByUserId: member.id })
  const group = await world.add.group()
  await world.db.run(sql`insert into message_groups ${values({ messageId: message.id, groupId: group.id })}`)

  expect((await get(member, message.id)).body.assignedGroups).toEqual([])
  expect((await get(await world.add.admin(), message.id)).body.assignedGroups).toMatchObject([
    { id: group.id },
  ])
})

test('a member may not take another’s message off its account, where they would lose sight of it', async () => {
  const { instance, member } = await memberWithInstance()
  const { id } = await world.add.message({ instanceId: instance.id })

  const answer = await world.call(member, messages.update, {
    params: { id },
    body: { textContent: 'Hello', instanceId: null },
  })

  expect(answer).toMatchObject({
    status: 400,
    body: { fields: { instanceId: 'MESSAGE.INSTANCE_INVALID' } },
  })
  expect(await world.db.many(sql`select instance_id from messages`)).toEqual([{ instanceId: instance.id }])
})

//
test('a member without the flag reads, and changes nothing', async () => {
  const instance = await world.add.instance()
  const reader = await world.add.user({ instances: [instance], canSendMessages: false })
  const { id } = await world.add.message({ instanceId: instance.id })
  const params = { id }
  const body = { textContent: 'Mine' }

  expect(await get(reader, id)).toMatchObject({ status: 200 })
  expect(await world.call(reader, messages.create, { body })).toMatchObject(FORBIDDEN)
  expect(await world.call(reader, messages.createWithFile, { body })).toMatchObject(FORBIDDEN)
  expect(await world.call(reader, messages.update, { params, body })).toMatchObject(FORBIDDEN)
  expect(await world.call(reader, messages.updateWithFile, { params, body })).toMatchObject(FORBIDDEN)
  expect(await world.call(reader, messages.remove, { params })).toMatchObject(FORBIDDEN)
  expect(await world.call(reader, messages.bulkDelete, { body: { ids: [id] } })).toMatchObject(FORBIDDEN)
  expect(await world.db.many(sql`select text_content from messages`)).not.toMatchObject([body])
})

test('without a session nothing is answered', async () => {
  const params = { id: 1 }
  const body = { textContent: 'Hello' }
  const answers = [
    await list(null),
    await world.call(null, messages.get, { params }),
    await world.call(null, messages.create, { body }),
    await world.call(null, messages.createWithFile, { body: form(body, await picture()) }),
    await world.call(null, messages.update, { params, body }),
    await world.call(null, messages.updateWithFile, { params, body }),
    await world.call(null, messages.remove, { params }),
    await world.call(null, messages.bulkDelete, { body: { ids: [1] } }),
  ]
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
})

//
test('a message is deleted, and its job keeps text and picture', async () => {
  const member = await world.add.user()
  const { id } = await world.add.message({ createdByUserId: member.id })
  const job = await world.add.job({ messageId: id, textContent: 'Kept' })

  expect(await world.call(member, messages.remove, { params: { id } })).toMatchObject({ status: 204 })

  expect(await world.db.many(sql`select id, message_id, text_content from jobs`)).toEqual([
    { id: job.id, messageId: null, textContent: 'Kept' },
  ])
})

//
test('several are deleted all or none', async () => {
  const member = await world.add.user()
  const [own, other] = [await world.add.message({ createdByUserId: member.id }), await world.add.message()]
  const bulk = (ids: number[]) => world.call(member, messages.bulkDelete, { body: { ids } })

  expect(await bulk([own.id, other.id])).toMatchObject(NOT_FOUND)
  expect(await bulk([own.id, 999_999])).toMatchObject(NOT_FOUND)
  expect(await bulk([])).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  expect(await world.db.many(sql`select from messages`)).toHaveLength(2)

  expect(await bulk([own.id, own.id])).toMatchObject({ status: 204 })
  expect(await world.db.many(sql`select id from messages`)).toEqual([{ id: other.id }])
})

//
test('the list is searched literally and without accents, sorted and paged', async () => {
  const admin = await world.add.admin()
  for (const textContent of ['50% off', '50 offers', 'snake_case', 'snakeXcase Khách'])
    await world.add.message({ textContent })
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

test.each([{ sortBy: 'image_id' }, { page: 0 }, { pageSize: 1001 }])(
  'a list can not be asked for %o',
  async (query) => {
    expect(await list(await world.add.admin(), query)).toMatchObject({ status: 400 })
  },
)
