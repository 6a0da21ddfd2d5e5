import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/** A viewer of a group, as a receipt names one. */
export type Viewer = { groupId: number; personId: string }

export type Slots = {
  /** Null while somebody, such as a sync, has locked the group or the participant: try again later. */
  of: (viewer: Viewer) => number | null
}

type SlotRow = Viewer & { slot: number }

/** Finds the slots of these viewers, and gives one to each viewer who has none. */
export async function findSlots(tx: Db, viewers: readonly Viewer[]): Promise<Slots> {
  const slots = new Map<string, number>()
  const add = (rows: SlotRow[]) => {
    for (const row of rows) slots.set(keyOf(row), row.slot)
  }
  const missing = () => viewers.filter((viewer) => !slots.has(keyOf(viewer)))
  if (viewers.length > 0) add(await readSlots(tx, viewers))
  if (missing().length > 0) {
    const groupIds = [...new Set(missing().map(({ groupId }) => groupId))]
    const locked = await tx.many<{ id: number }>(sql`
      select id from groups where id = any(${groupIds}) order by id for no key update skip locked`)
    const isLocked = new Set(locked.map(({ id }) => id))
    // Read again: another process may have given slots before we had the lock.
    const open = missing().filter(({ groupId }) => isLocked.has(groupId))
    add(await readSlots(tx, open))
    const without = missing().filter(({ groupId }) => isLocked.has(groupId))
    if (without.length > 0) add(await assignSlots(tx, without))
  }
  return { of: (viewer) => slots.get(keyOf(viewer)) ?? null }
}

const keyOf = ({ groupId, personId }: Viewer) => `${groupId} ${personId}`

const viewerRows = (viewers: readonly Viewer[]) => sql`
  (select distinct * from unnest(
    ${viewers.map(({ groupId }) => groupId)}::bigint[], ${viewers.map(({ personId }) => personId)}::text[]
  ) as viewer (group_id, person_id)) v`

const readSlots = (tx: Db, viewers: readonly Viewer[]) =>
  tx.many<SlotRow>(sql`
    select v.group_id, v.person_id, coalesce(p.slot, o.slot) as slot
    from ${viewerRows(viewers)}
      left join participants p on p.group_id = v.group_id and p.person_id = v.person_id
      left join other_viewers o on o.group_id = v.group_id and o.person_id = v.person_id
    where coalesce(p.slot, o.slot) is not null`)

/**
 * Call this with the groups locked. Leaves out participants whose rows somebody has locked: a sync locks them before
 * their group, so waiting for it could deadlock.
 */
const assignSlots = (tx: Db, viewers: readonly Viewer[]) =>
  tx.many<SlotRow>(sql`
    with viewer as materialized (
      select group_id, person_id from ${viewerRows(viewers)}
    ), participant as materialized (
      select p.group_id, p.person_id from viewer v join participants p using (group_id, person_id)
      for no key update of p skip locked
    ), free as (
      select * from participant
      union all
      select v.* from viewer v left join participants p using (group_id, person_id) where p.group_id is null
    ), fresh as materialized (
      select v.group_id, v.person_id,
        g.next_slot + (row_number() over (partition by v.group_id order by v.person_id))::int - 1 as slot
      from free v join groups g on g.id = v.group_id
    ), participating as (
      update participants p set slot = fresh.slot
      from fresh where p.group_id = fresh.group_id and p.person_id = fresh.person_id
      returning p.group_id, p.person_id
    ), others as (
      insert into other_viewers (group_id, person_id, slot)
      select group_id, person_id, slot from fresh
      where (group_id, person_id) not in (select group_id, person_id from participating)
    ), counted as (
      update groups g set next_slot = g.next_slot + used.count
      from (select group_id, count(*)::int from fresh group by group_id) used
      where g.id = used.group_id
    )
    select group_id, person_id, slot from fresh`)
