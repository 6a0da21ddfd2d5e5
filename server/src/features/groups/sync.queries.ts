import type { InstanceStatus } from '@sendroom/contract/instance-status'
import type { Reason } from '@sendroom/contract/values'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import type { ProviderGroup } from '../../providers/provider.ts'

export type Sync = {
  instanceId: number
  isTest: boolean
  tokenCipher: Buffer
  startedAt: string
  /** The account's own number, as digits; empty where it is not known. */
  ownNumber: string
}

/** Makes this the one sync of an active instance, for three minutes at a time; null when there is another. */
export async function beginSync(db: Pool, instanceId: number): Promise<Sync | null> {
  const sync = await db.maybeOne<Sync>(sql`
    update instances set syncing_until = clock_now() + interval '3 minutes'
    where id = ${instanceId} and is_active and coalesce(syncing_until, 'epoch') <= clock_now()
    returning id as instance_id, is_test, token_cipher, clock_now() as started_at,
      regexp_replace(whats_app_number, '[^0-9]', '', 'g') as own_number`)
  return sync ?? null
}

/** False when the sync is no longer ours, or no longer wanted. */
export async function renewSync(db: Pool, { instanceId }: Sync): Promise<boolean> {
  const count = await db.run(sql`
    update instances set syncing_until = clock_now() + interval '3 minutes'
    where id = ${instanceId} and is_active and syncing_until > clock_now()`)
  return count === 1
}

type Problem = { reason: Reason; status: InstanceStatus | null }

/** The end of a sync: whole, or with what kept it from being so, and what that tells of the account. */
export const endSync = (db: Pool, { instanceId }: Sync, problem: Problem | null) =>
  db.run(sql`
  update instances set
    syncing_until = clock_now(),
    sync_problem = ${problem && json(problem.reason)},
    last_sync_at = ${problem ? sql`last_sync_at` : sql`clock_now()`}
    ${problem?.status ? sql`, status = ${problem.status}, status_seen_at = clock_now()` : sql``}
  where id = ${instanceId}`)

/** Lets go without a word on how it went: the sync is done again elsewhere. */
export const releaseSync = (db: Pool, { instanceId }: Sync) =>
  db.run(sql`update instances set syncing_until = clock_now() where id = ${instanceId}`)

/** Writes one page of groups; of the participants only what has changed. */
export async function writeGroups(
  db: Pool,
  { instanceId, ownNumber }: Sync,
  groups: ProviderGroup[],
  names: ReadonlyMap<string, string>,
): Promise<void> {
  await db.begin(async (tx) => {
    await writeGroupRows(tx, instanceId, groups, ownNumber)
    await writeParticipants(tx, instanceId, groups, names)
  })
}

/** What the provider left out, stays: a name, a count. A group that came back has not left. */
async function writeGroupRows(tx: Db, instanceId: number, groups: ProviderGroup[], ownNumber: string) {
  const page = sql`
    select distinct on (chat_id) * from unnest(
      ${groups.map(({ chatId }) => chatId)}::text[],
      ${groups.map(({ name }) => clean(name))}::text[],
      ${groups.map(({ participantCount }) => participantCount)}::int[],
      ${groups.map((group) => canSendTo(group, ownNumber))}::boolean[]
    ) as page (chat_id, name, participant_count, can_send)`
  await tx.run(sql`
    insert into groups (instance_id, chat_id, name)
    select ${instanceId}, chat_id, coalesce(nullif(name, ''), chat_id) from (${page}) page
    on conflict do nothing`)
  await tx.run(sql`
    update groups g set
      name = coalesce(nullif(page.name, ''), g.name),
      participant_count = coalesce(page.participant_count, g.participant_count), can_send = page.can_send,
      last_sync_at = clock_now(), missing_since = null, left_at = null
    from (${page}) page where g.instance_id = ${instanceId} and g.chat_id = page.chat_id`)
}

/** Null where nobody can tell: the account's own number is hidden, or the participants were left out. */
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
    gone as (
      delete from participants o
      where o.group_id in (
          select id from groups where instance_id = ${instanceId} and chat_id = any(${known}::text[])
        )
        and not exists (
          select from present p where p.group_id = o.group_id and p.person_id = o.person_id
        )
    )
    insert into participants (group_id, person_id, rank, name)
    select p.group_id, p.person_id, p.rank, p.name
    from present p left join participants o using (group_id, person_id)
    where o.rank is distinct from p.rank or coalesce(p.name, o.name) is distinct from o.name
    on conflict (group_id, person_id) do update set
      rank = excluded.rank, name = coalesce(excluded.name, participants.name)`)
}

/** PostgreSQL's text can't hold NUL, and a space before a name only spoils the order. */
const clean = (text: string | null) => text?.replaceAll('\0', '').trim() ?? null

/** Groups that were not in the list that was just read whole. */
export async function listMissing(db: Pool, { instanceId, startedAt }: Sync): Promise<string[]> {
  const missing = await db.many<{ chatId: string }>(sql`
    select chat_id from groups
    where instance_id = ${instanceId} and left_at is null and coalesce(last_sync_at, 'epoch') < ${startedAt}
    order by missing_since nulls first, id`)
  return missing.map(({ chatId }) => chatId)
}

/**
 * Of the missing groups, these have said themselves that the account is not in them: they are left. So is what
 * another whole list, ten minutes ago or more, lacked too; right after linking a list may lack some for a while.
 */
export const markMissing = (db: Pool, { instanceId }: Sync, missing: string[], notFound: string[]) =>
  db.run(sql`
  update groups set
    missing_since = coalesce(missing_since, clock_now()),
    left_at = case
      when chat_id = any(${notFound}::text[]) or missing_since <= clock_now() - interval '10 minutes'
      then clock_now()
    end
  where instance_id = ${instanceId} and chat_id = any(${missing}::text[])`)

/** Left groups go when nothing refers to them; a week later, so that no job can be about to. */
export const deleteForgotten = (db: Pool, { instanceId }: Sync) =>
  db.run(sql`
  delete from groups g
  where instance_id = ${instanceId} and left_at < clock_now() - interval '7 days'
    and not exists (select from deliveries d where d.group_id = g.id)`)

/** Connected, active instances whose newest attempt is long ago. */
export async function listDueSyncs(db: Pool, limit: number): Promise<number[]> {
  const due = await db.many<{ id: number }>(sql`
    select id from instances
    where is_active and status = 'Connected'
      -- On a trial channel every call counts: it has 1,000 a month.
      and (coalesce(syncing_until, 'epoch')
          <= clock_now() - case when is_test then interval '1 hour' else interval '6 hours' end
        -- The provider has told of a change.
        or groups_changed_at > coalesce(last_sync_at, 'epoch')
          and coalesce(syncing_until, 'epoch')
            <= clock_now() - case when is_test then interval '10 minutes' else interval '1 hour' end)
    order by syncing_until nulls first limit ${limit}`)
  return due.map(({ id }) => id)
}
