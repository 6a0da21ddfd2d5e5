import type { Db } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import type { UploadOutcome } from '../../providers/provider.ts'
import { type InstanceChange, newTrouble, setInstanceState } from '../shared/instance-change.ts'
import { insertLogLines, reason, troubleLines } from '../shared/job-log.ts'
import type { Claim } from './claim.ts'
import { effectsOf } from './outcome-effects.ts'

/** Why a preparation has to wait. */
export type Delay = Extract<UploadOutcome, { kind: 'busy' | 'account' }>

/**
 * After a preparation has failed, the account's other jobs go first for nine times as long as it kept them waiting. So
 * uploads that always fail take a tenth of the account's time, and not minutes before each message of the others.
 */
const OTHERS_FIRST = 9
const OTHERS_FIRST_AT_LEAST_MS = 10_000

/** A message that needs something of the provider before its intent. */
type Prepared = { jobId: number; busyInARow: number; failuresInARow: number }

/**
 * Ends the claim and holds the instance back after a preparation that failed, as a send with that outcome would. The
 * job's log gets one line, unless its last line says the same. `tookMs`: how long the preparation took.
 */
export function holdInstance(
  tx: Db,
  claim: Claim,
  prepared: Prepared,
  outcome: Delay,
  line: 'image_upload_failed' | 'members_read_failed',
  tookMs: number,
) {
  const change = changeAfter(prepared, outcome)
  const { jobId } = prepared
  const why = outcome.reason
  const othersFirstMs = Math.max(OTHERS_FIRST_AT_LEAST_MS, OTHERS_FIRST * (tookMs + change.holdMs))
  return tx.run(sql`
    with changed as (
      update instances i
      set claim = null, lease_until = null,
        next_due_at = greatest(i.next_due_at, clock_now() + ${change.holdMs} * interval '1 ms'),
        ${setInstanceState(sql`false`)}
      from (
        select ${change.failuresInARow}::int as failures_in_a_row, ${change.busyInARow}::int as busy_in_a_row,
          ${json(change.busy)} as busy, ${json(change.waiting)} as waiting,
          ${change.status}::text as instance_status
      ) r
      where i.id = ${claim.instanceId} and i.claim = ${claim.token}
      returning i.id, ${newTrouble} as new_trouble
    ), turned as (
      -- A failed preparation counts as a turn, so that the instance's other jobs do not wait for this one.
      -- The jobs that were put off share their tenth: twelve of them would take all the time of the account.
      update jobs j set last_turn_at = clock_now() + least(interval '1 day', ${othersFirstMs} * interval '1 ms' * (
        select 1 + count(*) from jobs other
        where other.instance_id = ${claim.instanceId} and other.id <> ${jobId} and other.status = 'Running'
          and other.paused_at is null and other.last_turn_at > clock_now()))
      from changed where j.id = ${jobId}
    ), logged as (
      ${insertLogLines(troubleLines('changed'))}
    )
    ${insertLogLines(sql`
      select j.id, 'Warning', failed.reason
      from jobs j, (select ${json(reason(line, { ...why.params, why: why.code }))} as reason) failed
      -- The job may have been deleted in the minutes that an upload takes.
      where j.id = ${jobId} and ${change.waiting === null} and failed.reason is distinct from (
        select l.reason from job_logs l where l.job_id = ${jobId} order by l.id desc limit 1)`)}`)
}

/** The same change as after a send with that outcome. */
const changeAfter = (prepared: Prepared, outcome: Delay): InstanceChange =>
  effectsOf({ ...prepared, attempt: 1, lastReason: null, recipientName: '' }, outcome, Math.random()).instance
