import type { Instance, InstanceListQuery, InstanceRow } from '@sendroom/contract/instances'
import { holdOf, instanceNeedsAttention, warmUpToday, whyInstanceWaits } from '../../engine/index.ts'
import { type Caller, canSeeInstance, isAdmin } from '../../platform/access.ts'
import { canApproveFor } from '../../platform/approvers.ts'
import { isChannelRow } from '../../platform/channels.ts'
import type { Db } from '../../platform/database/connection.ts'
import { assignments, sql, values } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'
import { hasText } from '../../platform/search.ts'

/** The columns of a row in the list, from `instances i`. They never include the token. */
const rowColumns = sql`
  i.id, i.name, i.whats_app_number, i.is_active, i.is_test, i.created_at, i.expired_time,
  i.status, i.status_seen_at, ${whyInstanceWaits} as waiting,
  jsonb_build_object('people', ${holdOf('SendToUsers')}, 'groups', ${holdOf('SendToGroups')}) as holds,
  i.last_sync_at, coalesce(i.syncing_until > clock_now(), false) as is_syncing,
  case when i.syncing_until <= clock_now() then i.syncing_until end as sync_ended_at, i.sync_problem`

const paceColumns = sql`
  jsonb_build_array(i.group_pause_from_ms / 1000.0, i.group_pause_to_ms / 1000.0) as group_pause_seconds,
  jsonb_build_array(i.private_pause_from_ms / 1000.0, i.private_pause_to_ms / 1000.0) as private_pause_seconds,
  jsonb_build_object('groups', i.group_cap, 'private', i.private_cap) as daily_cap,
  i.private_slow_after,
  jsonb_build_array(i.private_slow_pause_from_ms / 1000.0, i.private_slow_pause_to_ms / 1000.0)
    as private_slow_pause_seconds,
  i.private_per_quarter as private_per_quarter_hour, i.private_hours as private_hours_per_day,
  i.private_days as private_days_in_a_row, i.person_cap, i.person_rest_days, i.new_people_cap, i.warm_up_step,
  ${warmUpToday} as warm_up,
  case when i.quiet_from is not null then
    jsonb_build_object('from', left(i.quiet_from::text, 5), 'to', left(i.quiet_to::text, 5))
  end as quiet_hours,
  i.time_zone, i.approval, i.approval_above,
  (select count(*) from users u where ${canApproveFor('u', sql`i.id`)}) as approver_count`

export async function listInstances(db: Db, caller: Caller, query: InstanceListQuery) {
  const matchesSearch = hasText(sql`i.search_text`, query.search)
  const isWanted = query.only ? instanceNeedsAttention : sql`true`
  return listPage<InstanceRow>(db, query, {
    select: sql`select ${rowColumns}`,
    from: sql`from instances i where ${canSeeInstance(caller, 'i.id')} and ${matchesSearch} and ${isWanted}`,
    sortBy: sortColumn(query.sortBy),
    id: sql`i.id`,
    countKey: ['instances', isAdmin(caller) || caller.instanceIds, query.search, query.only],
  })
}

const sortColumn = (field: InstanceListQuery['sortBy']) =>
  ({
    id: sql`i.id`,
    name: sql`i.name`,
    whatsAppNumber: sql`i.whats_app_number`,
    isActive: sql`i.is_active`,
    createdAt: sql`i.created_at`,
    expiredTime: sql`i.expired_time`,
    status: sql`i.status`,
  })[field]

/** The columns that are needed to call the provider for an instance. */
export type ActingInstance = Pick<Instance, 'id' | 'name' | 'isActive' | 'isTest' | 'status'> & {
  tokenCipher: Buffer
}

const actingColumns = sql`i.id, i.name, i.is_active, i.is_test, i.status, i.token_cipher`

export async function findInstance(
  db: Db,
  caller: Caller,
  id: number,
): Promise<(Omit<Instance, 'whapiToken'> & ActingInstance) | null> {
  const instance = await db.maybeOne<Omit<Instance, 'whapiToken'> & ActingInstance>(sql`
    select ${rowColumns}, ${paceColumns}, i.version, i.token_cipher
    from instances i where i.id = ${id} and ${canSeeInstance(caller, 'i.id')}`)
  return instance ?? null
}

export async function findActingInstance(db: Db, caller: Caller, id: number): Promise<ActingInstance | null> {
  const instance = await db.maybeOne<ActingInstance>(sql`
    select ${actingColumns} from instances i where i.id = ${id} and ${canSeeInstance(caller, 'i.id')}`)
  return instance ?? null
}

export type Columns = Record<string, string | number | boolean | Buffer | null>

export async function insertInstance(db: Db, columns: Columns): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`insert into instances ${values(columns)} returning id`)
  return id
}

export async function updateInstanceColumns(db: Db, id: number, columns: Columns): Promise<void> {
  const version = sql`version + 1`
  await db.run(sql`update instances set ${assignments({ ...columns, version })} where id = ${id}`)
}

/**
 * Applies a faster pace to the current pause, which then ends one new pause from now at the latest. Counted from the
 * last message, the pause is never shorter than the new pace demands. A pause that the provider asked for stays.
 */
export const shortenPause = (db: Db, id: number) =>
  db.run(sql`
  update instances set next_due_at = least(next_due_at,
    clock_now() + interval '1 ms' * greatest(group_pause_to_ms,
      greatest(private_pause_to_ms, case when private_slow_after > 0 then private_slow_pause_to_ms end)
        * case when warned_until > clock_now() then 2 else 1 end))
  where id = ${id} and busy is null`)

type LockedInstance = { tokenHash: Buffer; tokenCipher: Buffer; isActive: boolean; version: number }

/**
 * Reads the instance and locks its row until the transaction ends. Waits for a lock five seconds at most, as commands
 * on jobs do, because the connection is needed by others.
 */
export async function lockInstance(db: Db, id: number): Promise<LockedInstance | null> {
  await db.run(sql`select set_config('lock_timeout', '5s', true)`)
  const instance = await db.maybeOne<LockedInstance>(sql`
    select token_hash, token_cipher, is_active, version from instances where id = ${id} for update`)
  return instance ?? null
}

export const hasTokenHash = async (db: Db, hash: Buffer): Promise<boolean> =>
  (await db.run(sql`select from instances where token_hash = ${hash}`)) > 0

export async function hasJobs(db: Db, instanceId: number): Promise<boolean> {
  const count = await db.run(sql`select from jobs where instance_id = ${instanceId} limit 1`)
  return count > 0
}

/** Counts what would be deleted with the instance or its data. */
export const countData = (db: Db, instanceId: number) =>
  db.one<{ jobs: number; messages: number; groups: number }>(sql`
  select (select count(*) from jobs where instance_id = ${instanceId}) as jobs,
    (select count(*) from messages where instance_id = ${instanceId}) as messages,
    (select count(*) from groups g where instance_id = ${instanceId} and not ${isChannelRow('g')}) as groups`)

/**
 * Deletes messages, groups and participants. Delete the jobs before, because they refer to groups. A running sync loses
 * its lease, or it would count as complete without the groups that it has read so far.
 */
export async function deleteData(db: Db, instanceId: number): Promise<void> {
  await db.run(sql`delete from series where instance_id = ${instanceId}`)
  await db.run(sql`delete from messages where instance_id = ${instanceId}`)
  await db.run(sql`delete from groups where instance_id = ${instanceId}`)
  await db.run(sql`
    update instances set last_sync_at = null, sync_problem = null, syncing_until = clock_now(),
      sync_due_at = null where id = ${instanceId}`)
}

/**
 * Makes a sync of the instance's groups due. A worker begins it within seconds. One that was due stays in its place,
 * and one that runs is followed by another.
 */
export const requestSync = (db: Db, id: number) =>
  db.run(sql`
  update instances set sync_tries = 0,
    sync_due_at = case when syncing_until > clock_now() then clock_now() else least(sync_due_at, clock_now()) end
  where id = ${id}`)

export const deleteInstance = (db: Db, id: number) => db.run(sql`delete from instances where id = ${id}`)

/** Saves the status, and the linked number if the form has none. Returns the former values. */
export async function updateStatus(
  db: Db,
  id: number,
  { status, linkedNumber }: { status: Instance['status']; linkedNumber: string | null },
): Promise<Pick<Instance, 'status' | 'lastSyncAt'> | null> {
  const before = await db.maybeOne<Pick<Instance, 'status' | 'lastSyncAt'>>(sql`
    update instances i set
      status = ${status}, status_seen_at = clock_now(),
      whats_app_number = coalesce(nullif(i.whats_app_number, ''), ${linkedNumber}, '')
    from (select id, status, last_sync_at from instances where id = ${id} for update) before
    where i.id = before.id
    returning before.status, before.last_sync_at`)
  return before ?? null
}

/** Returns true to one caller every two seconds. That caller asks the provider. */
export async function claimStatusRead(db: Db, id: number): Promise<boolean> {
  const count = await db.run(sql`
    update instances set status_asked_at = clock_now()
    where id = ${id} and status_asked_at <= clock_now() - interval '2 seconds'`)
  return count === 1
}

/** Claims active instances whose status is due, so that no other worker reads them too. */
export async function claimStatusReads(
  db: Db,
  { withTest, limit }: { withTest: boolean; limit: number },
): Promise<ActingInstance[]> {
  return db.many<ActingInstance>(sql`
    update instances i set status_asked_at = clock_now()
    where i.id in (
      select id from instances
      where is_active and (${withTest} or not is_test)
        -- A trial channel has 1,000 calls a month: https://support.whapi.cloud.
        and status_asked_at <= clock_now() - case when is_test then interval '1 minute' else interval '1 hour' end
      order by status_asked_at limit ${limit} for update skip locked
    )
    returning ${actingColumns}`)
}
