import type { Pool } from '../platform/database/connection.ts'
import { json, sql } from '../platform/database/sql.ts'
import { accountMayGo, isRunning, jobMayGo } from './pace.ts'
import { hasDueDelivery } from './queue.ts'

/** The right to send for an account. */
export type Claim = {
  instanceId: number
  token: string
  /** By this process's monotonic clock (`performance.now()`), never later than the database's `lease_until`. */
  leaseEndsAt: number
}

export const LEASE_MS = 20_000
export const RENEW_EVERY_MS = 5_000
/** A send begins only with this much of the lease left. */
export const LEASE_LEFT_MS = 5_000

export const hasLease = (claim: Claim) => claim.leaseEndsAt - performance.now() >= LEASE_LEFT_MS

/**
 * Takes free accounts that have something to send now.
 *
 * The instance is the lock: it is the row both tested and updated, so PostgreSQL tests it again where two
 * workers meet. Candidates come from the live jobs alone: idle accounts cost nothing, however many there are.
 */
export async function claimAccounts(db: Pool, limit: number): Promise<Claim[]> {
  const asked = performance.now()
  const claimed = await db.many<{ id: number; claim: string }>(sql`
    with live as materialized (
      select distinct j.instance_id from jobs j where ${isRunning} and j.paused_at is null
    ), free as materialized (
      select i.id from live join instances i on i.id = live.instance_id
      where coalesce(i.lease_until, 'epoch') <= clock_now() and ${accountMayGo}
        and exists (
          select from jobs j where j.instance_id = i.id and ${jobMayGo} and ${hasDueDelivery})
      order by i.next_due_at
      limit ${limit}
      for no key update of i skip locked
    )
    update instances i
    set claim = gen_random_uuid(), lease_until = clock_now() + ${LEASE_MS} * interval '1 ms'
    from free
    where i.id = free.id and coalesce(i.lease_until, 'epoch') <= clock_now()
    returning i.id, i.claim`)
  return claimed.map(({ id, claim }) => ({ instanceId: id, token: claim, leaseEndsAt: asked + LEASE_MS }))
}

/**
 * Renews all leases of this worker in one statement; a claim that was lost ends at once. An account that somebody has
 * locked, such as one who deletes its large jobs, is passed over: its lease runs on, and holds up no other account.
 */
export async function renewLeases(db: Pool, claims: Claim[]): Promise<void> {
  if (claims.length === 0) return
  const asked = performance.now()
  const looked = await db.many<{ claim: string; isHeld: boolean }>(sql`
    with mine as materialized (
      select i.id, mine.claim, coalesce(i.claim = mine.claim, false) as is_held
      from unnest(${claims.map((claim) => claim.instanceId)}::bigint[], ${claims.map((claim) => claim.token)}::uuid[])
        as mine (id, claim) join instances i on i.id = mine.id
      for no key update of i skip locked
    ), renewed as (
      update instances i set lease_until = clock_now() + ${LEASE_MS} * interval '1 ms'
      from mine
      where i.id = mine.id and mine.is_held
    )
    select claim, is_held from mine`)
  const isHeld = new Map(looked.map((row) => [row.claim, row.isHeld]))
  for (const claim of claims) {
    const isOurs = isHeld.get(claim.token)
    if (isOurs === true) claim.leaseEndsAt = Math.max(claim.leaseEndsAt, asked + LEASE_MS)
    if (isOurs === false) claim.leaseEndsAt = 0
  }
}

/** Hands the account over at once; does nothing where the claim is no longer ours. */
export const releaseAccount = (db: Pool, claim: Claim) =>
  db.run(sql`
  update instances set claim = null, lease_until = null
  where id = ${claim.instanceId} and claim = ${claim.token}`)

/**
 * Messages whose sender is gone (its lease is over): nobody knows whether they went out. They go into doubt
 * and are looked up, never sent again blindly; their account is free for the next one.
 */
export const strandDeliveries = (db: Pool) =>
  db.run(sql`
  with live as materialized (
    select distinct instance_id from jobs where status in ('Pending', 'Running') or settling
  ), stranded as materialized (
    select i.id, i.in_flight from live join instances i on i.id = live.instance_id
    where i.in_flight is not null and coalesce(i.lease_until, 'epoch') <= clock_now()
    for no key update of i skip locked
  ), freed as (
    update instances i set in_flight = null, claim = null, lease_until = null
    from stranded where i.id = stranded.id
  ), doubtful as (
    update deliveries d
    set status = 'doubt', doubt_since = clock_now(), next_look_at = clock_now(), doubts = d.doubts + 1,
      reason = ${json({ code: 'interrupted', params: {} })}
    from stranded
    where d.id = stranded.in_flight and d.status = 'sending'
    returning d.job_id, d.recipient_name
  )
  insert into job_logs (job_id, log_level, reason)
  select job_id, 'Warning', jsonb_build_object('code', 'delivery_doubt',
    'params', jsonb_build_object('recipient', recipient_name, 'why', 'interrupted'))
  from doubtful`)
