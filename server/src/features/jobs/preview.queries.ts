import type { JobType } from '@sendroom/contract/job-life'
import type { JobPreview } from '@sendroom/contract/new-jobs'
import type { Hold } from '@sendroom/contract/values'
import { holdOf } from '../../engine/index.ts'
import type { Caller } from '../../platform/access.ts'
import { canSeeInstance } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'

export async function isVisibleInstance(db: Db, caller: Caller, id: number): Promise<boolean> {
  const count = await db.run(sql`
    select from instances i where i.id = ${id} and ${canSeeInstance(caller, 'i.id')}`)
  return count === 1
}

/** SQL expression: the number of chosen groups that meet the condition, and the first of them by name. */
const firstOfChosen = (condition: Sql, names: number) => sql`
  jsonb_build_object(
    'total', (select count(*) from chosen where ${condition}),
    'first', (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name) order by name, id), '[]')
      from (select id, name from chosen where ${condition} order by name, id limit ${names}) named))`

type Order = { instanceId: number; jobType: JobType; newPeople: number; scheduledAt: string | null }

/** Finds why the instance's messages of this kind have to wait, unless that ends before the job begins. */
export async function findHold(
  db: Db,
  { instanceId, jobType, newPeople, scheduledAt }: Order,
): Promise<Hold | null> {
  const found = await db.maybeOne<{ hold: Hold | null }>(sql`
    select ${holdOf(jobType, { from: scheduledAt, toNewPeople: newPeople > 0 })} as hold
    from instances i where i.id = ${instanceId}`)
  return found?.hold ?? null
}

type Chosen = Pick<JobPreview, 'recipients' | 'leftGroups' | 'leftInSets' | 'closedGroups'>

type Groups = { ids: readonly number[]; idsOfSets: readonly number[] }

/**
 * Counts which of these groups of an instance can receive messages, and names the first of those that can't.
 */
export async function countChosen(
  db: Db,
  instanceId: number,
  { ids, idsOfSets }: Groups,
  names: number,
): Promise<Chosen> {
  const first = (condition: Sql) => firstOfChosen(condition, names)
  const chosen = await db.one<Chosen>(sql`
    with chosen as materialized (
      select g.id, g.name, g.left_at is not null as has_left, g.can_send, g.id = any(${ids}::bigint[]) as is_by_hand
      from groups g
      where g.id = any(${[...ids, ...idsOfSets]}::bigint[]) and g.instance_id = ${instanceId}
    )
    select (select count(*) from chosen where not has_left) as recipients,
      ${first(sql`has_left and is_by_hand`)} as left_groups, ${first(sql`has_left and not is_by_hand`)} as left_in_sets,
      ${first(sql`not has_left and not can_send`)} as closed_groups`)
  return chosen
}

type Mentions = NonNullable<JobPreview['mentions']>

/**
 * Counts whom a job would mention that begins at `scheduledAt`. An account mentions a group once a day: the others get
 * its message without mentions.
 */
export const countMentions = (
  db: Db,
  { instanceId, scheduledAt }: { instanceId: number; scheduledAt: string | null },
  { ids, idsOfSets }: Groups,
  names: number,
): Promise<Mentions> =>
  db.one<Mentions>(sql`
    with chosen as materialized (
      select g.id, g.name, exists (
        select from group_mentions m
        where m.instance_id = i.id and m.chat_id = g.chat_id
          and m.day = local_day(greatest(clock_now(), ${scheduledAt}::timestamptz), i.time_zone)) as is_mentioned
      from groups g join instances i on i.id = g.instance_id
      where g.id = any(${[...ids, ...idsOfSets]}::bigint[]) and i.id = ${instanceId} and g.left_at is null
        and g.can_send is not false and g.chat_id like '%@g.us'
    ), counted as (
      select count(*) as members, count(*) filter (where p.person_id not like '%@lid') as reached
      from chosen c join participants p on p.group_id = c.id where not c.is_mentioned
    )
    select members, reached, ${firstOfChosen(sql`is_mentioned`, names)} as mentioned_before from counted`)
