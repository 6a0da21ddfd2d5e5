import type { JobType } from '@sendroom/contract/job-life'
import { batchesOf } from '../../platform/batches.ts'
import type { Db } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { json, sql } from '../../platform/database/sql.ts'
import type { StoredContent } from '../../platform/message-content.ts'
import { logJob, reason } from '../shared/job-log.ts'
import { skipUnreachable } from '../shared/opt-out.ts'
import { isKnownPerson, phoneOf } from '../shared/private-pace.ts'
import { wakeWorkers } from '../wake.ts'

export type Recipient = {
  /** WhatsApp's id of the chat: …@g.us for a group, …@s.whatsapp.net for a phone number. */
  chatId: string
  name: string
  groupId: number | null
  /** The contact that it is, if it is known. */
  contactId: number | null
}

/** Iterated once, so that a generator can read each recipient when it is needed: 100,000 at once take 30 MB. */
export type Recipients = (Iterable<Recipient> | AsyncIterable<Recipient>) & { length: number }

export type Order = {
  jobType: JobType
  messageId: number | null
  textContent: string
  imageId: number | null
  content?: StoredContent | null
  fileId?: number | null
  /** Whether the message mentions all members of its groups. */
  mentionsAll?: boolean
  instanceId: number
  /** ISO 8601; null is now. */
  scheduledAt: string | null
  /** For the lists; empty for none. */
  name?: string
  createdBy: { id: number; name: string }
  /** Idempotency key: a second order of the same user with the same key returns the first one's job. */
  requestId?: string | null | undefined
  /** Without duplicates. They get the message in this order, so known people come first. */
  recipients: Recipients
  writeTexts?: WriteTexts | undefined
}

/**
 * For texts with variables: writes the text of each of the job's deliveries beside them, and returns how many
 * deliveries it has deleted because they can't have one.
 */
export type WriteTexts = (tx: Db, jobId: number) => Promise<number>

/** Rows per insert. Bounds the memory that 100,000 recipients take while they are written. */
const BATCH = 2000

/**
 * Writes a job and its recipients in the caller's transaction and returns the job's id. Workers are woken by the
 * commit. If the same request has created a job already, or is creating one at this moment, its id is returned instead.
 */
export async function planJob(tx: Db, order: Order): Promise<number> {
  const {
    name = '',
    createdBy,
    recipients,
    requestId = null,
    writeTexts,
    content = null,
    fileId = null,
  } = order
  await forBulkWrites(tx)
  const made = await tx.maybeOne<{ id: number }>(sql`
    insert into jobs (name, job_type, message_id, text_content, is_personal, mentions_all, image_id, content, file_id, instance_id,
      recipient_count, scheduled_at, created_by_user_id, created_by_user_name, request_id)
    values (${name}, ${order.jobType}, ${order.messageId}, ${order.textContent}, ${writeTexts !== undefined}, ${order.mentionsAll ?? false}, ${order.imageId},
      ${json(content)}, ${fileId}, ${order.instanceId}, ${recipients.length}, ${order.scheduledAt}, ${createdBy.id}, ${createdBy.name}, ${requestId})
    on conflict (created_by_user_id, request_id) where request_id is not null do nothing
    returning id`)
  // The job of the first request may have been deleted in between: then this one is new.
  if (!made) return (await findRequested(tx, createdBy.id, requestId)) ?? planJob(tx, order)
  const { id } = made
  await insertDeliveries(tx, id, order.instanceId, recipients)
  const count = await prepareRecipients(tx, id, recipients.length, writeTexts)
  await logJob(tx, id, reason('job_created', { user: createdBy.name, count }))
  await wakeWorkers(tx)
  return id
}

/**
 * Writes the texts of a job's recipients, skips those who get nothing, and counts the others.
 *
 * @param count how many recipients the job has
 * @returns how many it has without those whom `writeTexts` leaves out
 */
export async function prepareRecipients(
  tx: Db,
  jobId: number,
  count: number,
  writeTexts?: WriteTexts,
): Promise<number> {
  const left = count - (writeTexts ? await writeTexts(tx, jobId) : 0)
  await tx.run(
    sql`update jobs set recipient_count = ${left} where id = ${jobId} and recipient_count <> ${left}`,
  )
  await skipUnreachable(tx, jobId)
  await countNewPeople(tx, jobId)
  return left
}

/** For the forecast, where a limit makes the number matter. */
const countNewPeople = (tx: Db, jobId: number) =>
  tx.run(sql`
    update jobs j
    set new_people_count = (
      select count(*) from deliveries d
      where d.job_id = j.id and d.status = 'queued'
        and not ${isKnownPerson(sql`d.instance_id`, phoneOf('d.chat_id'))})
    from instances i
    where j.id = ${jobId} and j.job_type = 'SendToUsers' and i.id = j.instance_id
      and (i.new_people_cap > 0 or i.new_people_left is not null)`)

async function findRequested(tx: Db, userId: number, requestId: string | null): Promise<number | undefined> {
  const job = await tx.maybeOne<{ id: number }>(sql`
    select id from jobs where created_by_user_id = ${userId} and request_id = ${requestId}`)
  return job?.id
}

/** Keeps the order of the recipients in the order of the ids. */
export async function insertDeliveries(tx: Db, jobId: number, instanceId: number, recipients: Recipients) {
  for await (const batch of batchesOf(recipients, BATCH)) await insertBatch(tx, jobId, instanceId, batch)
}

const insertBatch = (tx: Db, jobId: number, instanceId: number, recipients: Recipient[]) =>
  tx.run(sql`
  insert into deliveries (job_id, instance_id, group_id, contact_id, chat_id, recipient_name)
  select ${jobId}, ${instanceId}, r.group_id, r.contact_id, r.chat_id, r.name
  from unnest(
    ${recipients.map((recipient) => recipient.chatId)}::text[],
    ${recipients.map((recipient) => recipient.name)}::text[],
    ${recipients.map((recipient) => recipient.groupId)}::bigint[],
    ${recipients.map((recipient) => recipient.contactId)}::bigint[]
  ) with ordinality as r (chat_id, name, group_id, contact_id, place)
  order by r.place`)
