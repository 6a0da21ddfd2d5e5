import type { InstanceStatus } from '@sendroom/contract/instance-status'
import type { Reason } from '@sendroom/contract/values'
import { isChannelRow } from '../../platform/channels.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { knowsContent } from '../../platform/message-content.ts'
import type { ProviderGroup } from '../../providers/provider.ts'

export type Sync = {
  instanceId: number
  isTest: boolean
  tokenCipher: Buffer
  /** The instance's own number, digits only. Empty if it is not known. */
  ownNumber: string
  /** The value of `syncing_until` that this sync has written. Any other value means that the lease is lost. */
  lease: string
  /**
   * With microseconds, as the column has them: a sync that was asked for in the same millisecond has begun after it.
   */
  begunAt: string
}

/** The instance is no longer active, its token or data has changed, or another sync has taken the lease. */
export class SyncLost extends Error {}

const newLease = sql`syncing_until = clock_now() + interval '3 minutes'`

const MAX_TRIES = 4
/** After the first failure 30 s, then twice as long each time. */
const RETRY_AT = sql`
  case when sync_tries < ${MAX_TRIES} then clock_now() + interval '30 seconds' * power(2, sync_tries - 1) end`

/**
 * Takes the lease of the sync that has been due for longest, for three minutes. A sync that was due and whose worker
 * was killed is due again when its lease ends. But the last try is not repeated, since it may be what kills the worker.
 *
 * @param withTest whether this process has a provider for instances in test mode
 */
export const claimSync = (db: Pool, withTest: boolean) =>
  db.maybeOne<Sync>(sql`
  with due as materialized (
    select id from instances
    where sync_due_at <= clock_now() and is_active and (${withTest} or not is_test)
      and coalesce(syncing_until, 'epoch') <= clock_now()
    order by sync_due_at, id limit 1 for no key update skip locked
  )
  update instances i set ${newLease}, sync_tries = sync_tries + 1,
    sync_due_at = case when sync_tries + 1 < ${MAX_TRIES} then sync_due_at end
  from due where i.id = due.id
  returning i.id as instance_id, i.is_test, i.token_cipher, i.syncing_until::text as lease, clock_now()::text as begun_at,
    regexp_replace(i.whats_app_number, '[^0-9]', '', 'g') as own_number`)

const holdsLease = ({ instanceId, lease }: Sync) => sql`id = ${instanceId} and syncing_until = ${lease}`

/** Renews the lease, even an expired one that no other sync has taken. */
export async function renewSync(db: Pool, sync: Sync): Promise<void> {
  const renewed = await db.maybeOne<Pick<Sync, 'lease'>>(sql`
    update instances set ${newLease} where ${holdsLease(sync)} and is_active returning syncing_until::text as lease`)
  if (!renewed) throw new SyncLost()
  sync.lease = renewed.lease
}

type Problem = { reason: Reason; status: InstanceStatus | null; mayPassSoon: boolean }

/** A change that was reported during a sync may be missing from its pages, so another sync stays due. */
const requestedSince = ({ begunAt }: Sync) => sql`case when sync_due_at > ${begunAt} then sync_due_at end`
const nextTry = (sync: Sync) => sql`coalesce(${requestedSince(sync)}, ${RETRY_AT})`

/**
 * Ends a sync: complete, or with the problem that stopped it and the status of the instance that the problem reveals.
 * If the problem may pass soon, the sync is tried again. A change of groups that was reported meanwhile stays due as
 * well.
 */
export const endSync = (db: Pool, sync: Sync, problem: Problem | null) =>
  db.run(sql`
  update instances set
    syncing_until = clock_now(),
    sync_problem = ${problem && json(problem.reason)},
    sync_due_at = ${problem?.mayPassSoon ? nextTry(sync) : requestedSince(sync)},
    last_sync_at = ${problem ? sql`last_sync_at` : sql`clock_now()`},
    groups_changed_at = case when ${problem !== null} or groups_changed_at > ${sync.begunAt} then groups_changed_at end
    ${problem?.status ? sql`, status = ${problem.status}, status_seen_at = clock_now()` : sql``}
  where ${holdsLease(sync)}`)

/** Gives up the lease without a result, because the process stops or the instance has changed. This was no try. */
export const releaseSync = (db: Pool, sync: Sync) =>
  db.run(sql`
  update instances set syncing_until = clock_now(), sync_due_at = clock_now(), sync_tries = greatest(sync_tries - 1, 0)
  where ${holdsLease(sync)}`)

/** Gives up the lease after an error of ours. The sync is tried again. */
export const retrySync = (db: Pool, sync: Sync) =>
  db.run(sql`
  update instances set syncing_until = clock_now(), sync_due_at = ${nextTry(sync)} where ${holdsLease(sync)}`)

/** Writes groups with their participants. Rows that have not changed are not written. */
export async function writeGroups(
  db: Pool,
  sync: Sync,
  groups: ProviderGroup[],
  names: ReadonlyMap<string, string>,
): Promise<void> {
  const { instanceId, ownNumber } = sync
  await db.begin(async (tx) => {
    await forBulkWrites(tx)
    // Whoever deletes the instance or its data, or changes its token, waits. Sending does not: it locks no key.
    const isHeld = await tx.maybeOne(sql`select from instances where ${holdsLease(sync)} for key share`)
    if (!isHeld) throw new SyncLost()
    await writeGroupRows(tx, instanceId, groups, ownNumber)
    await writeParticipants(tx, instanceId, groups, names)
  })
}

/**
 * Keeps the stored name or count if the provider left it out. A listed group no longer counts as missing or left.
 * `last_sync_at` is the time of the last change: an update for each group of each sync would write all its index
 * entries.
 */
async function writeGroupRows(tx: Db, instanceId: number, groups: ProviderGroup[], ownNumber: string) {
  const page = sql`
    select distinct on (chat_id) * from unnest(
      ${groups.map(({ chatId }) => chatId)}::text[],
      ${groups.map(({ name }) => clean(name))}::text[],
      ${groups.map(({ participantCount }) => participantCount)}::int[],
      ${groups.map((group) => canSendTo(group, ownNumber))}::boolean[]
    ) as page (chat_id, name, participant_count, can_send)`
  await tx.run(sql`
    insert into groups (instance_id, chat_id, name, participant_count, can_send, last_sync_at)
    select ${instanceId}, chat_id, coalesce(nullif(name, ''), chat_id), coalesce(participant_count, 0), can_send, clock_now()
    from (${page}) page
    where not exists (select from groups g where g.instance_id = ${instanceId} and g.chat_id = page.chat_id)
    on conflict do nothing`)
  await tx.run(sql`
    update groups g set name = new.name, participant_count = new.participant_count, can_send = new.can_send,
      last_sync_at = clock_now(), missing_since = null, left_at = null
    from (${page}) page, groups old, lateral (
      select coalesce(nullif(page.name, ''), old.name) as name,
        coalesce(page.participant_count, old.participant_count) as participant_count, page.can_send
    ) new
    where old.instance_id = ${instanceId} and old.chat_id = page.chat_id and g.id = old.id
      and (old.name, old.participant_count, old.can_send, old.missing_since, old.left_at)
        is distinct from (new.name, new.participant_count, new.can_send, null, null)`)
}

/** Returns null if we can't know: the instance's own number is hidden, or the provider left out the participants. */
function canSendTo({ isAdminsOnly, participants }: ProviderGroup, ownNumber: string): boolean | null {
  if (!isAdminsOnly) return true
  const ourselves = participants?.find(({ personId }) => personId === ownNumber)
  return ourselves ? ourselves.rank !== 'member' : null
}

async function writeParticipants(
  tx: Db,
  instanceId: number,
  groups: ProviderGroup[],
  names: ReadonlyMap<string, string>,
) {
  const people = groups.flatMap(({ chatId, participants }) =>
    (participants ?? []).map(({ personId, rank }) => ({ chatId, personId, rank })),
  )
  const known = groups.filter(({ participants }) => participants !== null).map(({ chatId }) => chatId)
  const present = sql`
    select distinct on (g.id, page.person_id) g.id as group_id, page.person_id, page.rank, page.name
    from unnest(
      ${people.map(({ chatId }) => chatId)}::text[],
      ${people.map(({ personId }) => personId)}::text[],
      ${people.map(({ rank }) => rank)}::text[],
      ${people.map(({ personId }) => clean(names.get(personId) ?? null))}::text[]
    ) as page (chat_id, person_id, rank, name)
    join groups g on g.instance_id = ${instanceId} and g.chat_id = page.chat_id`
  await tx.run(sql`
    with present as materialized (${present}),
    absent as (
      -- EXCEPT hashes the rows. NOT EXISTS would compare all with all when PostgreSQL plans for a few of them.
      select group_id, person_id from participants
      where group_id in (select id from groups where instance_id = ${instanceId} and chat_id = any(${known}::text[]))
      except
      select group_id, person_id from present
    ), gone as (
      delete from participants o using absent
      where o.group_id = absent.group_id and o.person_id = absent.person_id
      returning o.group_id, o.person_id, o.slot
    ), kept as (
      -- Whoever leaves keeps the slot, so that no receipt counts twice.
      insert into other_viewers (group_id, person_id, slot)
      select group_id, person_id, slot from gone where slot is not null
      on conflict do nothing
    ), changed as (
      insert into participants (group_id, person_id, rank, name)
      select p.group_id, p.person_id, p.rank, p.name
      from present p left join participants o using (group_id, person_id)
      where o.rank is distinct from p.rank or coalesce(p.name, o.name) is distinct from o.name
      on conflict (group_id, person_id) do update set
        rank = excluded.rank, name = coalesce(excluded.name, participants.name)
      returning group_id
    )
    update groups set last_sync_at = clock_now()
    where id in (select group_id from gone union select group_id from changed)
      and last_sync_at is distinct from clock_now()`)
}

/** Removes NUL, which PostgreSQL's text can't hold, and outer spaces, which would spoil the sort order. */
const clean = (text: string | null) => text?.replaceAll('\0', '').trim() ?? null

/** Returns the groups or channels that were missing in the list, which this sync has read completely. */
export async function listMissing(
  db: Pool,
  { instanceId }: Sync,
  kind: 'group' | 'channel',
  listed: ReadonlySet<string>,
): Promise<string[]> {
  const missing = await db.many<{ chatId: string }>(sql`
    select chat_id from groups g
    where instance_id = ${instanceId} and ${isChannelRow('g')} = ${kind === 'channel'}
      and left_at is null and chat_id <> all(${[...listed]}::text[])
    order by missing_since nulls first, id`)
  return missing.map(({ chatId }) => chatId)
}

/**
 * Marks groups as missing. A missing group counts as left if the provider has confirmed it (`notFound`), or if another
 * complete list lacked it ten minutes ago or earlier. A list may lack some groups for a while after linking.
 */
export const markMissing = (db: Pool, { instanceId }: Sync, missing: string[], notFound: string[]) =>
  db.run(sql`
  update groups set
    missing_since = coalesce(missing_since, clock_now()),
    left_at = case
      when chat_id = any(${notFound}::text[]) or missing_since <= clock_now() - interval '10 minutes'
      then clock_now()
    end
  where instance_id = ${instanceId} and chat_id = any(${missing}::text[])
    and (missing_since is null or left_at is null) and ${knowsContent}`)

const LEFT_AT_ONCE = 100

/**
 * Deletes some left groups without deliveries, unless an import reads them, and returns how many. Waits a week, so that
 * no job is being created for them. All groups of a former instance at once, with millions of participants, would
 * exceed the time of a statement.
 */
export const deleteLeftGroups = (db: Pool, { instanceId }: Sync) =>
  db.run(sql`
  delete from groups where id in (
    select id from groups g
    where instance_id = ${instanceId} and left_at < clock_now() - interval '7 days'
      and not exists (select from deliveries d where d.group_id = g.id)
      and not exists (select from imports i where i.status = 'checking' and g.id = any(i.group_ids))
    limit ${LEFT_AT_ONCE}
  )`)

/** The syncs that one run makes due, so that those which users ask for have few before them. */
const MAX_REPETITIONS = 100

/** Recurring work: makes the syncs of connected, active instances due whose interval is over, the oldest first. */
export async function repeatSyncs(db: Pool): Promise<void> {
  await correctTimes(db)
  await db.run(REPEAT)
}

/** A clock that was ahead and is set right must delay no sync by as much. No lease and no wait takes five minutes. */
const correctTimes = (db: Pool) =>
  db.run(sql`
  update instances set
    syncing_until = case when syncing_until > clock_now() then clock_now() else syncing_until end,
    sync_due_at = case when sync_due_at > clock_now() then clock_now() else sync_due_at end
  where greatest(syncing_until, sync_due_at) > clock_now() + interval '5 minutes'`)

const REPEAT = sql`
  update instances set sync_due_at = clock_now(), sync_tries = 0
  where id in (
    select id from instances
    where is_active and status = 'Connected' and sync_due_at is null
      -- A trial channel has 1,000 calls a month: https://support.whapi.cloud.
      and (coalesce(syncing_until, 'epoch')
          <= clock_now() - case when is_test then interval '1 hour' else interval '6 hours' end
        -- A change that the provider has reported makes the interval shorter.
        or groups_changed_at is not null
          and coalesce(syncing_until, 'epoch')
            <= clock_now() - case when is_test then interval '10 minutes' else interval '1 hour' end)
    order by syncing_until nulls first limit ${MAX_REPETITIONS} for no key update skip locked
  )`
