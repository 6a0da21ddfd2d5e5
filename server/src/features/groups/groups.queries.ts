import type { Group, GroupSearch } from '@sendroom/contract/groups'
import { type Caller, canSeeInstance, isAdmin } from '../../platform/access.ts'
import { readCounts } from '../../platform/counts.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'
import { isFound } from '../../platform/search.ts'

export async function listGroups(db: Db, caller: Caller, query: GroupSearch) {
  const { instanceIds, search } = query
  const isOfThese = instanceIds.length > 0 ? sql`g.instance_id = any(${instanceIds})` : sql`true`
  const found = search ? await isFound(db, 'groups', 'g', search) : sql`true`
  return listPage<Group>(db, query, {
    select: sql`
      select g.id, g.name, g.participant_count, g.left_at is not null as has_left,
        coalesce(not g.can_send, false) as is_closed,
        (select i.last_sync_at from instances i where i.id = g.instance_id) as last_sync_at,
        (select jsonb_build_object('id', i.id, 'name', i.name) from instances i where i.id = g.instance_id)
          as instance`,
    from: sql`${fromGroups(query)} where ${canSeeInstance(caller, 'g.instance_id')} and ${isOfThese} and ${found}`,
    sortBy: sortColumn(query.sortBy),
    id: sql`g.id`,
    countKey: ['groups', isAdmin(caller) || caller.instanceIds, instanceIds, search],
    total: search ? undefined : () => countGroups(db, caller, instanceIds),
  })
}

/** The groups of an instance are synced together. The join is left out where it would only cost time. */
const fromGroups = ({ sortBy }: GroupSearch) =>
  sortBy === 'lastSyncAt'
    ? sql`from groups g join instances synced on synced.id = g.instance_id`
    : sql`from groups g`

/** Counts the groups of these instances, or of all. Lists also have the groups that the instance has left. */
async function countGroups(db: Db, caller: Caller, instanceIds: number[]): Promise<number> {
  const counts = await readCounts(db, caller, instanceIds.length > 0 ? instanceIds : undefined)
  return counts.groups + counts['left groups']
}

const sortColumn = (field: GroupSearch['sortBy']) =>
  ({
    id: sql`g.id`,
    name: sql`g.name`,
    participantCount: sql`g.participant_count`,
    lastSyncAt: sql`synced.last_sync_at`,
  })[field]

/** Includes today's date in Vietnam, for the name of the exported file. */
export async function findGroup(
  db: Db,
  caller: Caller,
  id: number,
): Promise<{ id: number; name: string; today: string } | null> {
  const group = await db.maybeOne<{ id: number; name: string; today: string }>(sql`
    select g.id, g.name, to_char(clock_now() at time zone 'Asia/Ho_Chi_Minh', 'YYYY-MM-DD') as today
    from groups g where g.id = ${id} and ${canSeeInstance(caller, 'g.instance_id')}`)
  return group ?? null
}

export type Participant = { personId: string; name: string | null; rank: 'member' | 'admin' | 'creator' }

/**
 * The participants as the text of a JSON array: owners first, then admins, then members, each by name. As rows, those of
 * a large group would take the main thread many times longer to read and to copy to another thread.
 */
export async function listParticipants(db: Db, groupId: number): Promise<string> {
  const { json } = await db.one<{ json: string }>(sql`
    select coalesce(json_agg(json_build_object('personId', person_id, 'name', name, 'rank', rank)
      order by array_position(array['creator', 'admin', 'member'], rank), name, person_id), '[]')::text as json
    from participants where group_id = ${groupId}`)
  return json
}
