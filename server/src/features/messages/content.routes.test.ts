import { contract } from '@sendroom/contract'
import type { MessageContent, NewContent } from '@sendroom/contract/message-content'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import { formOf } from '../../../test/forms.ts'
import { picture } from '../../../test/pictures.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useSharedContext()
const { messages, jobs } = contract

type Plain = Exclude<NewContent, { file: string }> & MessageContent
const poll: Plain = { kind: 'poll', options: ['Yes', 'No'], allowsSeveral: true }
const place: Plain = { kind: 'location', latitude: 10.77, longitude: 106.7, address: '1 Lê Lợi' }

async function memberWithVideo() {
  const { member, instance } = await context.add.memberWithInstance()
  const file = await context.add.file('video', { mimeType: 'video/mp4', seconds: 12, userId: member.id })
  const content = { kind: 'video', file: file.name, fileName: 'Sale.mp4' } as const
  const create = (body: object) =>
    context.call(member, messages.create, { body: { textContent: 'Only today', content, ...body } })
  return { member, instance, file, content, create }
}

const imageFormOf = async (fields: Parameters<typeof formOf>[0]) => {
  const form = formOf(fields)
  form.append('imageFile', new Blob([new Uint8Array(await picture())]), 'picture.png')
  return form
}

// R-1607
test('a video is a message with its file’s facts, and its text is the caption, else the name', async () => {
  const { member, file, create } = await memberWithVideo()

  const made = await create({})
  const silent = await create({ textContent: ' ' })

  expect(made.body).toMatchObject({
    textContent: 'Only today',
    imageUrl: null,
    content: {
      ...{
        kind: 'video',
        file: file.name,
        fileName: 'Sale.mp4',
        mimeType: 'video/mp4',
        size: 1000,
        seconds: 12,
      },
    },
  })
  expect(silent.body.textContent).toBe('Sale.mp4')
  const { body } = await context.call(member, messages.list, {})
  expect(body.data.map(({ content }) => content?.kind)).toEqual(['video', 'video'])
})

// R-1607
test.each([poll, place])('a $kind is a message', async (content) => {
  const { member } = await context.add.memberWithInstance()

  const made = await context.call(member, messages.create, { body: { textContent: 'Tea?', content } })

  expect(made).toMatchObject({ status: 201, body: { textContent: 'Tea?', content, imageUrl: null } })
})

// R-1608
test('a change as the specification has it changes the text alone, with an image it makes an image message', async () => {
  const { member, file, content, create } = await memberWithVideo()
  const { id } = (await create({})).body
  const change = (body: object) =>
    context.call(member, messages.update, { params: { id }, body: body as never })

  expect((await change({ textContent: 'Tomorrow' })).body).toMatchObject({
    textContent: 'Tomorrow',
    content: { kind: 'video', file: file.name },
  })
  expect((await change({ textContent: 'A poll', content: poll })).body.content).toEqual(poll)
  expect((await change({ textContent: 'A video', content })).body.content).toMatchObject({ file: file.name })

  const withImage = await context.call(member, messages.updateWithFile, {
    params: { id },
    body: await imageFormOf({ textContent: 'An image' }),
  })
  expect(withImage.body).toMatchObject({ content: null, imageUrl: expect.stringMatching(/^\/images\//) })
  expect((await change({ textContent: 'A video', content })).body).toMatchObject({
    imageUrl: null,
    content: { file: file.name },
  })
  expect((await change({ textContent: 'A text', content: null })).body).toMatchObject({
    content: null,
    imageUrl: null,
  })
})

// R-1609
test('a file that is gone, or that phones would not play as this, is an error at the content', async () => {
  const { member, instance, content, create } = await memberWithVideo()
  const document = await context.add.file('document', { userId: member.id })

  expect(await create({ content: { ...content, file: `${'0'.repeat(32)}.mp4` } })).toMatchObject({
    status: 400,
    body: { fields: { content: 'MESSAGE.FILE_GONE' } },
  })
  expect(await create({ content: { ...content, file: document.name } })).toMatchObject({
    status: 400,
    body: { fields: { content: 'MESSAGE.FILE_NOT_PLAYABLE' } },
  })
  const message = { textContent: '', content: { ...content, file: document.name } }
  const order = {
    jobType: 'SendToUsers',
    phoneNumbers: '0901234567',
    instanceId: instance.id,
    message,
  } as const
  expect(await context.call(member, jobs.create, { body: order })).toMatchObject({
    status: 400,
    body: { fields: { 'message.content': 'MESSAGE.FILE_NOT_PLAYABLE' } },
  })
})

// R-1609, R-1850
test('a file of somebody else is as good as gone, until the caller sees a message or a job that uses it', async () => {
  const { instance, content, create } = await memberWithVideo()
  const stranger = await context.add.memberWithInstance()
  const order = (user: typeof stranger.member, instanceId: number, file = content) =>
    context.call(user, messages.create, { body: { textContent: 'Mine', instanceId, content: file } })
  const gone = { status: 400, body: { fields: { content: 'MESSAGE.FILE_GONE' } } }

  // Not even an Admin, who sees the message of a Member, has what that Member has only uploaded.
  expect(await order(stranger.member, stranger.instance.id)).toMatchObject(gone)
  expect(await order(await context.add.admin(), instance.id)).toMatchObject(gone)
  const message = { textContent: '', content }
  const to = { jobType: 'SendToUsers', phoneNumbers: '0901234567', instanceId: stranger.instance.id } as const
  expect(await context.call(stranger.member, jobs.create, { body: { ...to, message } })).toMatchObject({
    body: { fields: { 'message.content': 'MESSAGE.FILE_GONE' } },
  })

  await create({ instanceId: instance.id })
  expect(await order(stranger.member, stranger.instance.id)).toMatchObject(gone)
  const colleague = await context.add.user({ instances: [instance] })
  expect(await order(colleague, instance.id)).toMatchObject({ status: 201 })
})

// R-1850
test('a test message has no file of somebody else, and a file of a visible job', async () => {
  const { instance, file, content } = await memberWithVideo()
  const { member, instance: own } = await context.add.memberWithInstance()
  const send = () =>
    context.call(member, jobs.test, {
      body: { textContent: '', content, instanceId: own.id, phoneNumber: '0912345678' },
    })
  const { id } = await context.add.job({
    instanceId: instance.id,
    content: JSON.stringify({ kind: 'video', fileName: 'Sale.mp4' }),
    fileId: file.id,
  })

  expect(await send()).toMatchObject({ status: 400, body: { fields: { content: 'MESSAGE.FILE_GONE' } } })

  await context.db.run(sql`update jobs set instance_id = ${own.id} where id = ${id}`)
  expect(await send()).toMatchObject({ status: 201 })
})

// R-1610
test('a job has a copy of the content, which a later change of the message leaves alone', async () => {
  const { member, instance, file, create } = await memberWithVideo()
  const group = await context.add.group({ instanceId: instance.id })
  const message = (await create({})).body
  const jobType = 'SendToGroups' as const
  const order = { jobType, instanceId: instance.id, groupIds: [group.id] }

  const made = await context.call(member, jobs.create, { body: { ...order, messageId: message.id } })
  await context.call(member, messages.update, {
    params: { id: message.id },
    body: { textContent: 'Tea?', content: poll },
  })

  const { body } = await context.call(member, jobs.get, { params: { id: made.body.id } })
  expect(body).toMatchObject({ textContent: 'Only today', content: { kind: 'video', file: file.name } })
  const written = await context.call(member, jobs.create, {
    body: { ...order, message: { textContent: 'Coffee?', content: poll } },
  })
  expect(written.body.content).toEqual(poll)
  const [entry] = await context.db.many<{ details: object }>(sql`
    select details from audit_log where action = 'job.create' and object_id = ${made.body.id}`)
  expect(entry?.details).toMatchObject({ content: { kind: 'video', fileName: 'Sale.mp4' } })
})

// R-1610
test('a waiting job gets the content of another message', async () => {
  const { member, instance, create } = await memberWithVideo()
  const group = await context.add.group({ instanceId: instance.id })
  const plain = (await create({ content: null })).body
  const video = (await create({})).body
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
  const { body: job } = await context.call(member, jobs.create, {
    body: {
      jobType: 'SendToGroups',
      instanceId: instance.id,
      groupIds: [group.id],
      messageId: plain.id,
      scheduledAt,
    },
  })
  const change = (messageId: number) =>
    context.call(member, jobs.change, { params: { id: job.id }, body: { messageId } })

  expect((await change(video.id)).body.content?.kind).toBe('video')
  expect((await change(plain.id)).body.content).toBeNull()
})

// R-1611
test('a test message has any content', async () => {
  const { member, instance, content } = await memberWithVideo()
  const send = (body: object) =>
    context.call(member, jobs.test, {
      body: { textContent: '', instanceId: instance.id, phoneNumber: '0912345678', ...body } as never,
    })

  expect((await send({ content })).body).toMatchObject({
    messageTitle: 'Sale.mp4',
    content: { kind: 'video' },
  })
  expect((await send({ textContent: 'Tea?', content: poll })).body).toMatchObject({
    messageTitle: 'Tea?',
    content: poll,
  })
})

// R-1612
test('another content makes another job for approval, and another version of a series', async () => {
  const { create } = await memberWithVideo()
  const message = (await create({})).body
  const job = await context.add.job({ messageId: null, textContent: 'Only today' })
  const hash = async () =>
    (await context.db.one<{ hash: string }>(sql`select encode(job_content_hash(${job.id}), 'hex') as hash`))
      .hash
  const plain = await hash()
  await context.db.run(sql`
    update jobs j set content = m.content, file_id = m.file_id from messages m where j.id = ${job.id} and m.id = ${message.id}`)
  expect(await hash()).not.toBe(plain)
})

// R-1600
test('a change of the text alone keeps the question of a poll short', async () => {
  const { member } = await context.add.memberWithInstance()
  const { body: made } = await context.call(member, messages.create, {
    body: { textContent: 'Tea?', content: poll },
  })
  const changed = await context.call(member, messages.update, {
    params: { id: made.id },
    body: { textContent: 'x'.repeat(256) },
  })
  expect(changed).toMatchObject({
    ...{ status: 400, body: { fields: { textContent: 'MESSAGE.QUESTION_TOO_LONG' } } },
  })
})
