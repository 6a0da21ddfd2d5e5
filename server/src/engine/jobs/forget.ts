import type { Pool, Tx } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { json, type Sql, sql } from '../../platform/database/sql.ts'
import { reason } from '../shared/job-log.ts'
import { lockInstancesOfJobs } from '../shared/lock.ts'
import { cursorAtFirstQueued } from '../shared/queue.ts'
import { type JobRef, notifyMoved } from '../status/progress.ts'

/*
 * Jobs forget a person. The chats are all by which WhatsApp knows them. Nothing new is sent to
 * them meanwhile (`is_opted_out`), so a delivery that was queued or in doubt ends, and stays as it ended.
 */

const MAX_JOBS = 100

/** The deliveries `d` to these chats. By the jobs, because no index has the chats of all. */
const toChats = (chats: readonly string[]) =>
  sql`jobs j join deliveries d on d.job_id = j.id and d.chat_id = any(${chats})`

/** Skips what is queued for these chats, in whichever state the job is. */
export async function skipForgotten(db: Pool, chats: readonly string[]): Promise<void> {
  for (let isMore = true; isMore; ) {
    const skipped = await db.begin((tx) => skipSlice(tx, chats))
    await notifyMoved(db, skipped)
    isMore = skipped.length > 0
  }
}

async function skipSlice(tx: Tx, chats: readonly string[]): Promise<JobRef[]> {
  await forBulkWrites(tx)
  const jobs = await tx.many<JobRef>(sql`
    select distinct j.id as job_id, j.instance_id from ${toChats(chats)}
    where d.status = 'queued' order by j.instance_id, j.id limit ${MAX_JOBS}`)
  const ids = jobs.map(({ jobId }) => jobId)
  if (ids.length === 0) return []
  await lockInstancesOfJobs(tx, ids)
  await tx.run(sql`
    update deliveries d set status = 'skipped', not_before = 'epoch', reason = ${json(reason('forgotten'))}
    where d.job_id = any(${ids}) and d.chat_id = any(${chats}) and d.status = 'queued'`)
  await tx.run(sql`update jobs j set ${cursorAtFirstQueued} where j.id = any(${ids})`)
  return jobs
}

/**
 * How many messages to these chats are being sent, or nobody knows whether they were. One that was not sent is queued
 * again, perhaps behind `skipForgotten`.
 */
export const countUnsettled = (tx: Tx, chats: readonly string[]): Promise<number> =>
  tx.run(sql`
    select from ${toChats(chats)} where d.status in ('queued', 'sending', 'doubt') or d.doubt_since is not null`)

/** A reason without whom it is about, and what WhatsApp said of them. */
const anonymous = (reason: Sql) => sql`
  jsonb_set(jsonb_set(${reason}, '{params,recipient}', '"–"', false), '{params,detail}', '"–"', false)`

/**
 * Takes number, name, text and what WhatsApp said out of so many settled deliveries, and out of the lines about them in
 * the logs of their jobs. The counts stay. A restart of the job skips the recipient, whose chat begins with
 * `forgotten-`.
 */
export async function forgetDeliveries(tx: Tx, chats: readonly string[], limit: number): Promise<number> {
  const reviewed = await lockReviewed(tx, chats)
  const forgotten = await tx.run(sql`
    with known as materialized (
      select d.id, d.job_id, d.recipient_name from ${toChats(chats)}
      where d.status in ('sent', 'failed', 'skipped') and d.doubt_since is null
      order by d.id limit ${limit}
    ), without_text as (
      delete from delivery_texts where delivery_id in (select id from known)
    ), logged as (
      update job_logs l set reason = ${anonymous(sql`l.reason`)}
      from known where l.job_id = known.job_id and l.reason->'params'->>'recipient' = known.recipient_name
    )
    update deliveries d
    set chat_id = 'forgotten-' || d.id || '@s.whatsapp.net', recipient_name = '–', contact_id = null,
      reason = ${anonymous(sql`d.reason`)}
    from known where d.id = known.id`)
  await tx.run(sql`update jobs set review_hash = job_content_hash(id) where id = any(${reviewed})`)
  return forgotten
}

/** Locks the jobs to these chats that are as they were approved, or as somebody is to approve them. */
async function lockReviewed(tx: Tx, chats: readonly string[]): Promise<number[]> {
  const found = await tx.many<{ id: number }>(sql`
    select distinct j.id from ${toChats(chats)} where j.review is not null and j.status in ('Pending', 'Running')`)
  if (found.length === 0) return []
  const ids = found.map(({ id }) => id)
  await lockInstancesOfJobs(tx, ids)
  const reviewed = await tx.many<{ id: number }>(sql`
    select id from jobs where id = any(${ids}) and review_hash = job_content_hash(id) for no key update`)
  return reviewed.map(({ id }) => id)
}
