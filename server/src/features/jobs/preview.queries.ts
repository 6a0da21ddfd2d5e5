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
  const first = (condition: Sql) => sql`
    jsonb_build_object(
      'total', (select count(*) from chosen where ${condition}),
      'first', (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name) order by name, id), '[]')
        from (select id, name from chosen where ${condition} order by name, id limit ${names}) named))`
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
