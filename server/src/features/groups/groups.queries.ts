import type { Group, GroupSearch } from '@sendroom/contract/groups'
import type { Named } from '@sendroom/contract/values'
import { type Caller, canSeeInstance, isAdmin } from '../../platform/access.ts'
import { isChannelRow } from '../../platform/channels.ts'
import { readCounts } from '../../platform/counts.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'
import { searchCondition } from '../../platform/search.ts'

const isChannel = isChannelRow('g')
const ofKind = { channel: isChannel, group: sql`not ${isChannel}` }

export async function listGroups(db: Db, caller: Caller, query: GroupSearch) {
  const { instanceIds, search, kind } = query
  const isOfThese = instanceIds.length > 0 ? sql`g.instance_id = any(${instanceIds})` : sql`true`
  const isOfKind = kind ? ofKind[kind] : sql`true`
  const found = search ? await searchCondition(db, 'groups', 'g', search) : sql`true`
  return listPage<Group>(db, query, {
    select: sql`
      select g.id, g.name, case when ${isChannel} then 'channel' else 'group' end as kind, g.participant_count,
        g.left_at is not null as has_left,
        coalesce(not g.can_send, false) as is_closed,
        (select i.last_sync_at from instances i where i.id = g.instance_id) as last_sync_at,
        (select jsonb_build_object('id', i.id, 'name', i.name) from instances i where i.id = g.instance_id)
          as instance`,
    from: sql`
      ${fromGroups(query)}
      where ${canSeeInstance(caller, 'g.instance_id')} and ${isOfThese} and ${isOfKind} and ${found}`,
    sortBy: sortColumn(query.sortBy),
    id: sql`g.id`,
    countKey: ['groups', isAdmin(caller) || caller.instanceIds, instanceIds, kind, search],
    total: search ? undefined : () => countGroups(db, caller, query),
  })
}

/** The groups of an instance are synced together. The join is left out where it would only cost time. */
const fromGroups = ({ sortBy }: GroupSearch) =>
  sortBy === 'lastSyncAt'
    ? sql`from groups g join instances synced on synced.id = g.instance_id`
    : sql`from groups g`

/** Counts the groups of these instances, or of all. Lists also have the groups that the instance has left. */
async function countGroups(db: Db, caller: Caller, { instanceIds, kind }: GroupSearch): Promise<number> {
  const counts = await readCounts(db, caller, instanceIds.length > 0 ? instanceIds : undefined)
  const groups = counts.groups + counts['left groups']
  const channels = counts.channels + counts['left channels']
  return (kind === 'channel' ? 0 : groups) + (kind === 'group' ? 0 : channels)
}

const sortColumn = (field: GroupSearch['sortBy']) =>
  ({
    id: sql`g.id`,
    name: sql`g.name`,
    participantCount: sql`g.participant_count`,
    lastSyncAt: sql`synced.last_sync_at`,
  })[field]

type Found = Named & { isChannel: boolean }

export async function findGroup(db: Db, caller: Caller, id: number): Promise<Found | null> {
  const group = await db.maybeOne<Found>(sql`
    select g.id, g.name, ${isChannel} as is_channel from groups g
    where g.id = ${id} and ${canSeeInstance(caller, 'g.instance_id')}`)
  return group ?? null
}

export type Participant = { personId: string; name: string | null; rank: 'creator' | 'admin' | 'member' }

/** More than a real group has, so that its participants are those of one moment. */
const PARTICIPANTS_AT_ONCE = 10_000

/** Returns the next participants after `last`: owners first, then admins, then members, each by name. */
export const listParticipants = (db: Db, groupId: number, last: Participant | null) =>
  db.many<Participant>(sql`
    select p.person_id, p.name, p.rank
    from participants p cross join lateral (
      select array_position(array['creator', 'admin', 'member'], p.rank) as rank, p.name is null as is_nameless,
        coalesce(p.name, '') as name
    ) by
    where p.group_id = ${groupId} ${
      last
        ? sql`and (by.rank, by.is_nameless, by.name, p.person_id) > (
      array_position(array['creator', 'admin', 'member'], ${last.rank}), ${last.name === null}, ${last.name ?? ''},
      ${last.personId})`
        : sql``
    }
    order by by.rank, by.is_nameless, by.name, p.person_id limit ${PARTICIPANTS_AT_ONCE}`)
