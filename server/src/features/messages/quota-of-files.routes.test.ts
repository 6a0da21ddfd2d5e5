import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { formOf } from '../../../test/forms.ts'
import { countWaiting } from '../../../test/locks.ts'
import { picture } from '../../../test/pictures.ts'
import { sql } from '../../platform/database/sql.ts'
import { sweepFiles } from '../../platform/images/clean-up.ts'
import { requireRoomInMessage, requireRoomOnDisk } from '../../platform/quotas.ts'

const context = useContext()
const { messages, jobs } = contract

const FULL = { status: 409, body: { code: 'quota_images', params: { limit: 1 } } }

/** Lan shares a message with a file of 800 kB through an account that Minh has as well. A user can have 1 MB. */
async function sharedFile() {
  await context.db.run(sql`update quotas set image_megabytes_per_user = 1`)
  const instance = await context.add.instance()
  const member = () => context.add.user({ instances: [instance], canSendMessages: true, canCreateJobs: true })
  const [lan, minh] = [await member(), await member()]
  const file = await context.add.file('document', { size: 800_000, userId: lan.id })
  const shared = await save(lan, file.name, instance.id)
  expect(shared.status).toBe(201)
  return { instance, lan, minh, file, shared: shared.body }
}

const contentOf = (file: string) => ({ kind: 'document', file, fileName: 'Prices.pdf' }) as const

const save = (user: TestUser, file: string, instanceId: number | null = null) =>
  context.call(user, messages.create, {
    body: { textContent: 'Prices', content: contentOf(file), instanceId },
  })

const remove = (user: TestUser, id: number) => context.call(user, messages.remove, { params: { id } })

const roomFor = (user: TestUser, bytes: number) =>
  context.db
    .begin((tx) => requireRoomOnDisk(tx, user.id, bytes))
    .then(
      () => 'room',
      (error) => error.code,
    )

// R-1770
test('a colleague’s file counts for whoever has it in a message, and no more for its owner who has deleted theirs', async () => {
  const { lan, minh, file, shared } = await sharedFile()
  expect((await save(minh, file.name)).status).toBe(201)
  expect(await roomFor(minh, 300_000)).toBe('quota_images')
  expect(await roomFor(lan, 300_000)).toBe('quota_images')

  expect((await remove(lan, shared.id)).status).toBeLessThan(300)

  expect(await roomFor(lan, 1_000_000)).toBe('room')
  expect(await roomFor(minh, 300_000)).toBe('quota_images')
  await context.shiftClock('2 hours')
  await sweepFiles(context.db, context.files)
  const { body } = await context.call(minh, messages.list, {})
  expect(body.data.map(({ content }) => content)).toMatchObject([{ file: file.name, size: 800_000 }])
})

// R-1770
test('without room for a colleague’s file a message is refused, and saved once there is room', async () => {
  const { minh, file } = await sharedFile()
  const own = await context.add.file('document', { size: 300_000, userId: minh.id })
  const prices = await save(minh, own.name)
  expect(prices.status).toBe(201)

  expect(await save(minh, file.name)).toMatchObject(FULL)

  await remove(minh, prices.body.id)
  await context.db.run(sql`delete from files where id = ${own.id}`)
  expect((await save(minh, file.name)).status).toBe(201)
  // A second message with the same file takes no more room.
  expect((await save(minh, file.name)).status).toBe(201)
})

// R-1770
test('two messages at once can’t both take the last room', async () => {
  const { lan, instance, minh, file } = await sharedFile()
  await context.db.run(sql`update quotas set image_megabytes_per_user = 2`)
  const other = await context.add.file('document', { size: 800_000, userId: lan.id })
  await save(lan, other.name, instance.id)
  await context.db.run(sql`update quotas set image_megabytes_per_user = 1`)

  const saved = await Promise.all([save(minh, file.name), save(minh, other.name)])

  expect(saved.map(({ status }) => status).sort()).toEqual([201, 409])
})

// R-1770
test('whoever saves a file while its owner deletes the message keeps it, and it counts for them', async () => {
  const { lan, minh, file, shared } = await sharedFile()
  let removed: Promise<unknown> | undefined
  await context.db.begin(async (tx) => {
    const { id } = await tx.one<{ id: number }>(
      sql`select id from files where name = ${file.name} for key share`,
    )
    await requireRoomInMessage(tx, minh.id, { fileId: id })
    await remove(lan, shared.id)
    await context.shiftClock('2 hours')
    await context.db.run(sql`update files set unused_since = clock_now() - interval '2 hours'`)
    removed = sweepFiles(context.db, context.files)
    await expect.poll(() => countWaiting(context.db)).toBe(1)
    await tx.run(sql`
      insert into messages (text_content, content, file_id, created_by_user_id, created_by_user_name)
      values ('Prices', ${JSON.stringify({ kind: 'document', fileName: 'a.pdf' })}::jsonb, ${id}, ${minh.id}, 'minh')`)
  })
  await removed

  expect(await context.db.many(sql`select name from files`)).toEqual([{ name: file.name }])
  expect(await roomFor(minh, 300_000)).toBe('quota_images')
  expect(await roomFor(lan, 1_000_000)).toBe('room')
})

// R-1771
test('a job with a colleague’s message is never refused for the disk, and counts once no message has the file', async () => {
  const { instance, lan, minh, shared } = await sharedFile()
  const full = await context.add.file('document', { size: 900_000, userId: minh.id })
  await save(minh, full.name)
  const group = await context.add.group({ instanceId: instance.id })
  const order = { jobType: 'SendToGroups' as const, instanceId: instance.id, groupIds: [group.id] }

  const job = await context.call(minh, jobs.create, { body: { ...order, messageId: shared.id } })

  expect(job.status).toBe(201)
  expect(await roomFor(minh, 100_000)).toBe('room')
  await remove(lan, shared.id)
  expect(await roomFor(lan, 1_000_000)).toBe('room')
  expect(await roomFor(minh, 0)).toBe('quota_images')
  await context.db.run(sql`delete from jobs where id = ${job.body.id}`)
  expect(await roomFor(minh, 100_000)).toBe('room')
})

// R-1771
test('a file or image that a colleague puts into a message counts for the author of the message', async () => {
  const { instance, lan, minh, shared } = await sharedFile()
  const larger = await context.add.file('document', { size: 900_000, userId: minh.id })
  const change = (file: string) =>
    context.call(minh, messages.update, {
      params: { id: shared.id },
      body: { textContent: 'Prices', content: contentOf(file), instanceId: instance.id },
    })

  expect(await change(larger.name)).toMatchObject({
    status: 409,
    body: { code: 'quota_images_of_author', params: { user: lan.username, limit: 1 } },
  })

  await context.db.run(sql`delete from files where id = ${larger.id}`)
  const smaller = await context.add.file('document', { size: 150_000, userId: minh.id })
  expect((await change(smaller.name)).status).toBe(200)
  expect(await roomFor(minh, 1_000_000)).toBe('room')
  expect(await roomFor(lan, 900_000)).toBe('quota_images')

  await context.db.run(sql`delete from files where name <> ${smaller.name}`)
  const form = formOf({ textContent: 'Prices', instanceId: String(instance.id) })
  form.append('imageFile', new Blob([new Uint8Array(await picture())]), 'picture.png')
  const withImage = await context.call(minh, messages.updateWithFile, {
    params: { id: shared.id },
    body: form,
  })
  expect(withImage.status).toBe(200)
  const { size } = await context.db.one<{ size: number }>(sql`select size from images`)
  await context.db.run(sql`delete from files`)
  expect(await roomFor(minh, 1_000_000)).toBe('room')
  expect(await roomFor(lan, 1_000_000 - size)).toBe('room')
  expect(await roomFor(lan, 1_000_001 - size)).toBe('quota_images')
})

// R-1778
test('a file that a user saves in two messages at once needs room once', async () => {
  const { minh, file } = await sharedFile()
  let saved: Promise<Awaited<ReturnType<typeof save>>[]> | undefined
  await context.db.begin(async (tx) => {
    await requireRoomOnDisk(tx, minh.id, 0)
    saved = Promise.all([save(minh, file.name), save(minh, file.name)])
    await expect.poll(() => countWaiting(context.db)).toBe(2)
  })

  expect((await saved)?.map(({ status }) => status)).toEqual([201, 201])
})

// R-1778
test('a file that moves from one message of a user to another while a third is saved leaves no room for that', async () => {
  const { minh, file } = await sharedFile()
  const first = await save(minh, file.name)
  let room: Promise<string> | undefined
  await context.db.begin(async (tx) => {
    const { id } = await tx.one<{ id: number }>(
      sql`select id from files where name = ${file.name} for key share`,
    )
    await requireRoomInMessage(tx, minh.id, { fileId: id })
    await remove(minh, first.body.id)
    room = roomFor(minh, 300_000)
    await expect.poll(() => countWaiting(context.db)).toBe(1)
    await tx.run(sql`
      insert into messages (text_content, content, file_id, created_by_user_id, created_by_user_name)
      values ('Prices', ${JSON.stringify({ kind: 'document', fileName: 'a.pdf' })}::jsonb, ${id}, ${minh.id}, 'minh')`)
  })

  expect(await room).toBe('quota_images')
})

// R-1779
test('whoever gives a file to the message of a deleted user needs room for it and becomes its author', async () => {
  const { instance, lan, minh, shared } = await sharedFile()
  const text = { textContent: 'Prices', instanceId: instance.id }
  const change = (user: TestUser, body: object) =>
    context.call(user, messages.update, { params: { id: shared.id }, body: { ...text, ...body } })
  await context.db.run(sql`delete from users where id = ${lan.id}`)

  // A text alone leaves the message as it is.
  expect((await change(minh, {})).body.createdByUserName).toBe(lan.username)
  const large = await context.add.file('document', { size: 900_000, userId: minh.id })
  const changed = await change(minh, { content: contentOf(large.name) })

  expect(changed).toMatchObject({ status: 200, body: { createdByUserName: minh.username } })
  expect(await roomFor(minh, 200_000)).toBe('quota_images')
  const admin = await context.add.user({ role: 'Admin' })
  const small = await context.add.file('document', { size: 200_000, userId: admin.id })
  expect((await save(admin, small.name, instance.id)).status).toBe(201)
  const other = await context.add.message({ instanceId: instance.id, createdByUserId: null })
  const second = { params: { id: other.id }, body: { ...text, content: contentOf(small.name) } }
  expect(await context.call(minh, messages.update, second)).toMatchObject(FULL)
})
