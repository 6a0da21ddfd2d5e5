import type { JobType } from '@sendroom/contract/job-life'
import type { Db } from '../platform/database/connection.ts'
import { planOnce } from '../platform/database/session-defaults.ts'
import { json, sql } from '../platform/database/sql.ts'
import { nudge } from './nudge.ts'

export type Recipient = {
  /** The chat's id at WhatsApp: …@g.us or …@s.whatsapp.net. */
  chatId: string
  name: string
  groupId: number | null
}

/** Gone through once, so each may be made only then: 100,000 of them at once take 30 MB. */
export type Recipients = Iterable<Recipient> & { length: number }

export type Order = {
  jobType: JobType
  messageId: number | null
  textContent: string
  imageId: number | null
  instanceId: number
  /** ISO 8601; null is now. */
  scheduledAt: string | null
  createdBy: { id: number; name: string }
  /** Asked for again with the same, by the same person, it is the same job. */
  requestId?: string | null | undefined
  /** Without doubles. */
  recipients: Recipients
}

/** Rows of one insert: bounds the memory that 100,000 recipients take on their way to the database. */
const BATCH = 2000

/**
 * Writes a job with its recipients, frozen, in the caller's transaction; returns its id. Workers hear of it when the
 * transaction commits. Where the same request has made one already, or is just making it: the id of that one.
 */
export async function planJob(tx: Db, order: Order): Promise<number> {
  const { createdBy, recipients, requestId = null } = order
  await planOnce(tx)
  const made = await tx.maybeOne<{ id: number }>(sql`
    insert into jobs (job_type, message_id, text_content, image_id, instance_id, recipient_count, scheduled_at,
      created_by_user_id, created_by_user_name, request_id)
    values (${order.jobType}, ${order.messageId}, ${order.textContent}, ${order.imageId}, ${order.instanceId},
      ${recipients.length}, ${order.scheduledAt}, ${createdBy.id}, ${createdBy.name}, ${requestId})
    on conflict (created_by_user_id, request_id) where request_id is not null do nothing
    returning id`)
  // Where that has been deleted in between, it is a new one.
  if (!made) return (await findRequested(tx, createdBy.id, requestId)) ?? planJob(tx, order)
  const { id } = made
  for (const batch of batchesOf(recipients)) await insertDeliveries(tx, id, order.instanceId, batch)
  const created = { code: 'job_created', params: { user: createdBy.name, count: recipients.length } }
  await tx.run(sql`insert into job_logs (job_id, log_level, reason) values (${id}, 'Info', ${json(created)})`)
  await nudge(tx)
  return id
}

async function findRequested(tx: Db, userId: number, requestId: string | null): Promise<number | undefined> {
  const job = await tx.maybeOne<{ id: number }>(sql`
    select id from jobs where created_by_user_id = ${userId} and request_id = ${requestId}`)
  return job?.id
}

function* batchesOf(recipients: Iterable<Recipient>) {
  let batch: Recipient[] = []
  for (const recipient of recipients) {
    if (batch.push(recipient) < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** In the order given: the ids tell it from then on. */
const insertDeliveries = (tx: Db, jobId: number, instanceId: number, recipients: Recipient[]) =>
  tx.run(sql`
  insert into deliveries (job_id, instance_id, group_id, chat_id, recipient_name)
  select ${jobId}, ${instanceId}, r.group_id, r.chat_id, r.name
  from unnest(
    ${recipients.map((recipient) => recipient.chatId)}::text[],
    ${recipients.map((recipient) => recipient.name)}::text[],
    ${recipients.map((recipient) => recipient.groupId)}::bigint[]
  ) with ordinality as r (chat_id, name, group_id, place)
  order by r.place`)
