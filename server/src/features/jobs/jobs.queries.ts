import type { JobListQuery, JobRow } from '@sendroom/contract/jobs'
import { type Caller, seesInstance, seesMessage } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { imageUrl } from '../../platform/images.ts'
import { listPage } from '../../platform/list.ts'

// The title as it is indexed, for the sort.
const title = (sql: Db) => sql`left(j.text_content, 100)`

const jobRow = (sql: Db) => sql`
  select j.id, j.job_type, j.message_id, ${title(sql)} as message_title, j.instance_id,
    (select i.name from instances i where i.id = j.instance_id) as instance_name, j.status,
    j.paused_at is not null as is_paused, j.created_by_user_name, j.scheduled_at, j.created_at, j.started_at,
    j.completed_at`

const sortColumn = (sql: Db, field: JobListQuery['sortBy']) =>
  ({
    id: sql`j.id`,
    jobType: sql`j.job_type`,
    messageTitle: title(sql),
    status: sql`j.status`,
    scheduledAt: sql`j.scheduled_at`,
    createdAt: sql`j.created_at`,
  })[field]

const seesJob = (sql: Db, caller: Caller) => seesInstance(sql, caller, 'j.instance_id')

export const listJobs = (sql: Db, caller: Caller, query: JobListQuery) =>
  listPage<JobRow>(sql, query, {
    select: jobRow(sql),
    from: sql`
      from jobs j where ${seesJob(sql, caller)}
        ${query.search ? sql`and j.found_by like containing(${query.search})` : sql``}`,
    sortBy: sortColumn(sql, query.sortBy),
    id: sql`j.id`,
    countKey: ['jobs', caller.role === 'Admin' || caller.id, query.search],
  })

export async function findJobRow(sql: Db, caller: Caller, id: number): Promise<JobRow | null> {
  const [job] = await sql<JobRow[]>`
    ${jobRow(sql)} from jobs j where j.id = ${id} and ${seesJob(sql, caller)}`
  return job ?? null
}

/** What the caller got by this request before. */
export async function findRequestedJob(sql: Db, caller: Caller, requestId: string): Promise<JobRow | null> {
  const [job] = await sql<JobRow[]>`
    ${jobRow(sql)} from jobs j
    where j.created_by_user_id = ${caller.id} and j.request_id = ${requestId} and ${seesJob(sql, caller)}`
  return job ?? null
}

type JobContent = JobRow & { textContent: string; imageUrl: string | null }

export async function findJobContent(sql: Db, caller: Caller, id: number): Promise<JobContent | null> {
  const [job] = await sql<JobContent[]>`
    ${jobRow(sql)}, j.text_content, ${imageUrl(sql, 'j.image_id')} as image_url
    from jobs j where j.id = ${id} and ${seesJob(sql, caller)}`
  return job ?? null
}

export async function countVisibleJobs(sql: Db, caller: Caller, ids: number[]): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*) from jobs j where j.id = any(${ids}) and ${seesJob(sql, caller)}`
  return count
}

// What a new job is made of. All of it stays as it is until the transaction ends.

type Sender = { isActive: boolean; now: string }

export async function holdInstance(tx: Db, caller: Caller, id: number): Promise<Sender | null> {
  const [instance] = await tx<Sender[]>`
    select i.is_active, clock_now() as now from instances i
    where i.id = ${id} and ${seesInstance(tx, caller, 'i.id')} for key share`
  return instance ?? null
}

type Content = { textContent: string; imageId: number | null }

export async function holdMessage(tx: Db, caller: Caller, id: number): Promise<Content | null> {
  const [message] = await tx<Content[]>`
    select m.text_content, m.image_id from messages m
    where m.id = ${id} and ${seesMessage(tx, caller, 'm')} for key share`
  return message ?? null
}

type Group = { id: number; chatId: string; name: string; hasLeft: boolean }

export const holdGroups = (tx: Db, instanceId: number, ids: number[]) => tx<Group[]>`
  select g.id, g.chat_id, g.name, g.left_at is not null as has_left from groups g
  where g.id = any(${ids}) and g.instance_id = ${instanceId}
  order by g.name, g.id for key share`
