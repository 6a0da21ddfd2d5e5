import { type Caller, canUseGroupSet } from './access.ts'
import type { Db } from './database/connection.ts'
import { sql } from './database/sql.ts'

type Ids = { id: number }[]

/** Returns the sets among these that the caller may use and that belong to the instance. */
export const readGroupSets = (db: Db, caller: Caller, instanceId: number, ids: readonly number[]) =>
  db.many<Ids[number]>(sql`${setsFor(caller, instanceId, ids)}`)

/** The same, and keeps the sets from being changed and deleted until the transaction ends. */
export const lockGroupSetsForShare = (tx: Db, caller: Caller, instanceId: number, ids: readonly number[]) =>
  tx.many<Ids[number]>(sql`${setsFor(caller, instanceId, ids)} for share`)

const setsFor = (caller: Caller, instanceId: number, ids: readonly number[]) => sql`
  select s.id from group_sets s
  where s.id = any(${ids}::bigint[]) and s.instance_id = ${instanceId} and ${canUseGroupSet(caller, 's')}
  order by s.id`

/** `select` of the ids of the groups in these sets, each once, also of those that the instance has left. */
export const groupsOfSets = (ids: readonly number[]) => sql`
  select distinct group_id as id from group_set_groups where group_set_id = any(${ids}::bigint[])`
