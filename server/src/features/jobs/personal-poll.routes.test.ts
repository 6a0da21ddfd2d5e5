import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'

const context = useSharedContext()
const { jobs } = contract

// R-1651
test('a poll whose question gets too long with a value is refused before anybody gets it', async () => {
  const instance = await context.add.instance()
  const admin = await context.add.admin()
  const poll = { kind: 'poll' as const, options: ['Yes', 'No'], allowsSeveral: false }
  const textContent = `{{name}}, ${'x'.repeat(200)}?`
  const message = await context.add.message({
    ...{ instanceId: instance.id, textContent, hasVariables: true, content: JSON.stringify(poll) },
  })
  const long = await context.add.contact({ name: 'An '.repeat(20) })
  const short = await context.add.contact({ name: 'An' })
  const order = {
    ...{ jobType: 'SendToUsers' as const, instanceId: instance.id, messageId: message.id },
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
  }
  const create = ({ number }: { number: string }) =>
    context.call(admin, jobs.create, { body: { ...order, phoneNumbers: number } })
  const refused = { status: 400, body: { code: 'texts_too_long', params: { messageText: 255 } } }

  expect(await create(long)).toMatchObject(refused)
  const { body: job } = await create(short)
  expect(job.recipientCount).toBe(1)

  const change = { params: { id: job.id }, body: { recipients: { phoneNumbers: long.number } } }
  expect(await context.call(admin, jobs.change, change)).toMatchObject(refused)
  const { body: preview } = await context.call(admin, jobs.preview, {
    body: { ...order, phoneNumbers: `${long.number}\n${short.number}` },
  })
  expect(preview.tooLong.total).toBe(1)
  const { messageId: _, ...written } = { ...order, phoneNumbers: `${long.number}\n${short.number}` }
  const previewOf = async (isPoll: boolean) =>
    (await context.call(admin, jobs.preview, { body: { ...written, message: { textContent, isPoll } } })).body
  expect((await previewOf(true)).tooLong.total).toBe(1)
  expect((await previewOf(false)).tooLong.total).toBe(0)
  const own = { ...{ textContent, content: poll }, instanceId: instance.id, phoneNumber: '0912345678' }
  expect(await context.call(admin, jobs.test, { body: { ...own, contactId: long.id } })).toMatchObject(
    refused,
  )
})
