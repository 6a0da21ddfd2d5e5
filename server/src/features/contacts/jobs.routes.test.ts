import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import { json, sql } from '../../platform/database/sql.ts'

const context = useSharedContext()
const { contacts } = contract

/** Jobs of two accounts, of which the user sees the first, with a message to the contact each. */
async function fixture() {
  const [own, other] = [await context.add.instance({ name: 'Shop' }), await context.add.instance()]
  const user = await context.add.user({ canManageContacts: true, instances: [own] })
  const contact = await context.add.contact()
  const job = async (instance: { id: number }, textContent: string, columns: object) => {
    const made = await context.add.job({
      instanceId: instance.id,
      recipients: ['849@s.whatsapp.net'],
      textContent,
    })
    const { id } = await context.db.one<{ id: number }>(sql`
      update deliveries set contact_id = ${contact.id} where job_id = ${made.id} returning id`)
    const { status, readAt = null, reason = null } = columns as Record<string, string>
    await context.db.run(sql`
      update deliveries set status = ${status}, sent_at = ${status === 'sent' ? '2026-01-01T00:00:00Z' : null},
        read_at = ${readAt}, reason = ${json(reason && { code: reason, params: {} })} where id = ${id}`)
    return { ...made, deliveryId: id }
  }
  const sent = await job(own, 'Hello {{name}}', { status: 'sent', readAt: '2026-01-02T00:00:00Z' })
  await context.db.run(sql`insert into delivery_texts values (${sent.deliveryId}, 'Hello Lan')`)
  const failed = await job(own, 'Sale', { status: 'failed', reason: 'not_on_whatsapp' })
  await job(other, 'Secret', { status: 'sent' })
  const list = (query = {}) =>
    context.call(user, contacts.jobs, { params: { id: contact.id }, query }).then(({ body }) => body)
  return { user, sent, failed, own, list }
}

//
test('a contact has the messages of jobs of the user’s accounts, newest first, page by page', async () => {
  const { sent, failed, own, list } = await fixture()

  const { data, pagination } = await list()
  expect(pagination.totalCount).toBe(2)
  expect(data).toMatchObject([
    {
      jobId: failed.id,
      messageTitle: 'Sale',
      status: 'Failed',
      sentAt: null,
      reason: { code: 'not_on_whatsapp' },
    },
    {
      jobId: sent.id,
      messageTitle: 'Hello Lan',
      instance: { id: own.id, name: 'Shop' },
      status: 'Sent',
      sentAt: '2026-01-01T00:00:00.000Z',
      deliveredAt: null,
      readAt: '2026-01-02T00:00:00.000Z',
      reason: null,
    },
  ])
  expect((await list({ page: 2, pageSize: 1 })).data).toEqual(data.slice(1))
})

//
test('a contact that does not exist has no list', async () => {
  const { user } = await fixture()
  expect(await context.call(user, contacts.jobs, { params: { id: 999_999 }, query: {} })).toMatchObject({
    status: 404,
  })
})
