import type { Db, Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { meter } from '../../platform/meter.ts'
import { needsLimits } from '../health/whatsapp-limits.ts'
import { instanceMaySend, isRunning, jobMaySend } from '../shared/pace.ts'
import { quarterFreeAt } from '../shared/private-pace.ts'
import { hasDueDelivery } from '../shared/queue.ts'

/**
 * A worker's right to send for an instance, for as long as its lease lasts. The lease is renewed every 5 s
 * (`renewLeases`, called by engine.ts) and with each intent (intent.ts, `recordPace`). A worker that dies stops
 * renewing it; then any worker claims the instance, and in-doubt/mark-in-doubt.ts takes up the message that was being
 * sent.
 */
export type Claim = {
  instanceId: number
  token: string
  /** In ms of this process's monotonic clock (`performance.now()`), never later than the database's `lease_until`. */
  leaseEndsAt: number
  /** The limits of WhatsApp have to be read, because a job to people has begun. */
  needsLimits?: boolean
}

export const LEASE_MS = 20_000
export const RENEW_EVERY_MS = 5_000
/** A send begins only with this much of the lease left. */
export const LEASE_LEFT_MS = 5_000

export const hasLeaseToSend = (claim: Claim) => claim.leaseEndsAt - performance.now() >= LEASE_LEFT_MS

/**
 * Claims up to `limit` free instances that have something to send now.
 *
 * The instance's row is both tested and updated, so PostgreSQL tests it again where two workers meet. Candidates come
 * from running jobs only: idle instances cost nothing, however many there are.
 */
export async function claimInstances(db: Pool, limit: number): Promise<Claim[]> {
  const askedAt = performance.now()
  const claimed = await db.many<Claimed>(sql`
    with running as materialized (
      select distinct j.instance_id from jobs j where ${isRunning} and j.paused_at is null
    ), free as materialized (
      select i.id, ${lateness} as lateness from running join instances i on i.id = running.instance_id
      where coalesce(i.lease_until, 'epoch') <= clock_now() and ${instanceMaySend}
        and exists (
          select from jobs j where j.instance_id = i.id and ${jobMaySend} and ${hasDueDelivery})
      order by i.next_due_at
      limit ${limit}
      for no key update of i skip locked
    )
    update instances i
    set claim = gen_random_uuid(), lease_until = clock_now() + ${LEASE_MS} * interval '1 ms'
    from free
    where i.id = free.id and coalesce(i.lease_until, 'epoch') <= clock_now()
    returning i.id, i.claim, ${needsLimits} as needs_limits, extract(epoch from free.lateness) * 1000 as late_ms`)
  for (const { lateMs } of claimed) if (lateMs !== null) meter.claimed(lateMs)
  return claimed.map(({ id, claim, needsLimits }) => ({
    instanceId: id,
    token: claim,
    leaseEndsAt: askedAt + LEASE_MS,
    needsLimits,
  }))
}

type Claimed = { id: number; claim: string; lateMs: number | null; needsLimits: boolean }

/**
 * How long ago the pause of the instance `i` ended, for the metrics. Null if something else held the instance back,
 * such as trouble, or quiet hours since its last message. A job that began or was resumed later counts from then.
 */
const lateness = sql`
  case when i.last_intent_at > clock_now() - interval '5 minutes' and i.waiting_since is null and i.busy is null
    then clock_now() - greatest(i.next_due_at, i.lease_until, ${quarterFreeAt}, (
      select max(greatest(j.started_at, j.resumed_at)) from jobs j where j.instance_id = i.id and ${isRunning}))
  end`

/**
 * Extends `lease_until` of all our instances in one statement, and `leaseEndsAt` of their claims; a lost claim ends at
 * once. A locked instance is left out, so that somebody who deletes its large jobs delays no other instance. If one of
 * our own intents holds the lock, that intent renews the lease (intent.ts).
 */
export async function renewLeases(db: Pool, claims: Claim[]): Promise<void> {
  if (claims.length === 0) return
  const askedAt = performance.now()
  const found = await db.many<{ claim: string; isHeld: boolean }>(sql`
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
  const isHeld = new Map(found.map((row) => [row.claim, row.isHeld]))
  for (const claim of claims) {
    const isOurs = isHeld.get(claim.token)
    if (isOurs === true) claim.leaseEndsAt = Math.max(claim.leaseEndsAt, askedAt + LEASE_MS)
    if (isOurs === false) claim.leaseEndsAt = 0
  }
}

/** Frees the instance for any worker. No-op if the claim is no longer ours. */
export const releaseInstance = (db: Db, claim: Claim) =>
  db.run(sql`
    update instances set claim = null, lease_until = null
    where id = ${claim.instanceId} and claim = ${claim.token}`)
