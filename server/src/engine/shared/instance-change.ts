import type { InstanceStatus } from '@sendroom/contract/instance-status'
import type { Reason } from '@sendroom/contract/values'
import { identifier, type Sql, sql } from '../../platform/database/sql.ts'

/** The change that an attempt makes to its instance. sending/outcome-effects.ts decides it, and this file writes it. */
export type InstanceChange = {
  failuresInARow: number
  busyInARow: number
  /** Why the provider, not the pace, holds the instance back. */
  busy: Reason | null
  /** How long nothing is sent, in ms. With 0 the pace alone decides. */
  holdMs: number
  /** A trouble of the instance that has just shown. */
  waiting: Reason | null
  status: InstanceStatus | null
}

/** Condition: the instance stopped after ten failures in a row. Only a person resumes it. */
export const stoppedByFailures = (instance: string) =>
  sql`coalesce(${identifier(instance)}.waiting->>'code' = 'account_failures', false)`

/**
 * In an update of instances `i`: sets the columns from a row `r` with the fields of `InstanceChange`.
 *
 * A trouble that comes back within a day counts as the same one, so that an instance which looks healthy and refuses
 * every message still reaches the end of ACCOUNT_WAIT. `isProvenHealthy` (a message was sent) forgets
 * when the trouble began, except while the instance waits: that message was on its way when the provider reported it.
 * An outage of the provider lasts until an answer proves its end: `busy` and `busy_since` stay over all attempts in
 * between. The first two unknown outcomes set `busy_since` alone, because a single one says nothing about the provider.
 *
 * Nothing here sets `waiting` to null; a status check or a person does (health/instance-status.ts).
 */
export const setInstanceState = (isProvenHealthy: Sql) => sql`
  failures_in_a_row = r.failures_in_a_row,
  busy_in_a_row = r.busy_in_a_row,
  busy = case when r.busy_in_a_row > 0 then coalesce(r.busy::jsonb, i.busy) end,
  busy_since = case when r.busy_in_a_row > 0 then coalesce(i.busy_since, clock_now()) end,
  waiting = coalesce(r.waiting::jsonb, i.waiting),
  waiting_since = case
    when ${isProvenHealthy} and i.waiting is null then null
    when r.waiting is null or i.try_again_at > clock_now() - interval '1 day'
      then coalesce(i.waiting_since, case when r.waiting is not null then clock_now() end)
    else clock_now()
  end,
  try_again_at = case when r.waiting is null then i.try_again_at else ${nextCheckAt} end,
  status = coalesce(r.instance_status, i.status),
  status_seen_at = case when r.instance_status is null then i.status_seen_at else clock_now() end`

/**
 * When to check a waiting instance `i`: after 30 s, then each time after as long as it has waited, 10 minutes at most.
 */
export const nextCheckAt = sql`
  clock_now() + greatest(interval '30 seconds',
    least(interval '10 minutes', clock_now() - coalesce(i.waiting_since, clock_now())))`

/**
 * In `returning`, after `setInstanceState`: why the instance waits, if that has just begun. A stop by failures always
 * has.
 */
export const newTrouble = sql`
  case when i.waiting_since = clock_now() or ${stoppedByFailures('i')} then i.waiting end`
