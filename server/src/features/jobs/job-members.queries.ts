import { type JobMember, type JobMembersQuery, memberStates } from '@sendroom/contract/job-rows'
import type { Page } from '@sendroom/contract/paging'
import type { Named } from '@sendroom/contract/values'
import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'
import { areMembersKept, isGroup } from './job-rows.queries.ts'

// Queries for the members who received or read a job's message. engine/README.md, 'Receipts', describes the bitmaps.

/** Returns null if the recipient is not a group, or not one of this job. */
export const findRecipientGroup = async (db: Db, jobId: number, recipientId: number): Promise<Named | null> =>
  (await db.maybeOne<Named>(sql`
    select g.id, g.name from deliveries d join groups g on g.id = d.group_id
    where d.id = ${recipientId} and d.job_id = ${jobId} and ${isGroup}`)) ?? null

/**
 * `get_bit` fails beyond the end of a bitmap. A member without a slot, and a message without bitmaps, have no receipt.
 */
const hasSlot = (bitmap: Sql) =>
  sql`case when s.slot < octet_length(${bitmap}) * 8 then get_bit(${bitmap}, s.slot) = 1 else false end`

/** Lists the present members without the instance's own number. Nobody is listed if the bitmaps are gone. */
export const listMembers = (
  db: Db,
  recipientId: number,
  { state, ...query }: JobMembersQuery,
): Promise<Page<JobMember>> =>
  listPage<JobMember>(
    db,
    { ...query, sortDirection: 'asc' },
    {
      select: sql`select p.person_id, p.name, m.state`,
      from: sql`
        from deliveries d
          join instances i on i.id = d.instance_id
          join participants p on p.group_id = d.group_id
          left join other_viewers o on o.group_id = p.group_id and o.person_id = p.person_id
          left join delivery_views v on v.intent = d.intent
          cross join lateral (select coalesce(p.slot, o.slot) as slot) s
          cross join lateral (
            select case when ${hasSlot(sql`v.read`)} then 'Read' when ${hasSlot(sql`v.delivered`)} then 'Delivered'
              else 'None' end as state
          ) m
        where d.id = ${recipientId} and d.status = 'sent'
          and ${areMembersKept}
          -- Receipts that an earlier version counted have no bitmaps.
          and (v.intent is not null or d.delivered_members = 0)
          and p.person_id <> regexp_replace(i.whats_app_number, '[^0-9]', '', 'g')
          ${state ? sql`and m.state = ${state}` : sql``}`,
      sortBy: sql`array_position(${[...memberStates]}::text[], m.state), p.name`,
      id: sql`p.person_id`,
      countKey: ['members', recipientId, state],
    },
  )
