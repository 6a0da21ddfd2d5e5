import type { Reason } from '@sendroom/contract/values'
import type { Pool } from '../platform/database/connection.ts'
import { json, sql } from '../platform/database/sql.ts'
import type { UploadOutcome } from '../providers/provider.ts'
import type { Claim } from './claim.ts'
import { type AccountChange, type Consequence, consequenceOf, reason } from './consequence.ts'
import type { Upload } from './intent.ts'
import { failQueued } from './life.ts'
import { type EngineParts, reach } from './parts.ts'
import { newTrouble, setAccount, tellTrouble } from './settle.ts'

/**
 * Uploads the image of the job whose turn it is, before any intent: an upload reaches nobody, so it may fail
 * and be tried again at will. True when the account can go on with it.
 */
export async function uploadImage(parts: EngineParts, claim: Claim, upload: Upload): Promise<boolean> {
  const { db } = parts
  const outcome = await tryUpload(parts, upload)
  switch (outcome.kind) {
    case 'uploaded':
      await db.run(
        sql`update jobs set media_id = ${outcome.mediaId} where id = ${upload.jobId} and media_id is null`,
      )
      return true
    case 'rejected':
      // What is refused once is refused for every recipient.
      await failQueued(db, upload.jobId, outcome.reason)
      return true
    default:
      await holdAccount(db, claim, upload, accountAfter(upload, outcome), outcome.reason)
      return false
  }
}

async function tryUpload(parts: EngineParts, upload: Upload): Promise<UploadOutcome> {
  const busy = (code: Reason['code']) => ({ kind: 'busy', reason: reason(code), retryAfterMs: null }) as const
  const way = reach(parts, upload)
  if (!way) return busy('provider_unreachable')
  let failing: Reason['code'] = 'image_store_down'
  try {
    const image = await parts.readImage(upload.imageName)
    if (!image) return { kind: 'rejected', reason: reason('media_missing') }
    failing = 'provider_unreadable'
    return await way.provider.uploadImage(way.account, image)
  } catch (error) {
    parts.log.error({ err: error }, 'An image could not be read or uploaded')
    return busy(failing)
  }
}

/** The account fares as after a send with that outcome. */
const accountAfter = (
  upload: Upload,
  outcome: Extract<UploadOutcome, { kind: 'busy' | 'account' }>,
): Consequence['account'] =>
  consequenceOf({ ...upload, attempt: 1, lastReason: null, recipientName: '' }, outcome, Math.random())
    .account

const holdAccount = (db: Pool, claim: Claim, upload: Upload, account: AccountChange, why: Reason) =>
  db.run(sql`
  with changed as (
    update instances i
    set claim = null, lease_until = null,
      next_due_at = greatest(i.next_due_at, clock_now() + ${account.holdMs} * interval '1 ms'),
      ${setAccount(sql`false`)}
    from (
      select ${account.failuresInARow}::int as failures_in_a_row, ${account.busyInARow}::int as busy_in_a_row,
        ${json(account.busy)} as busy, ${json(account.waiting)} as waiting,
        ${account.status}::text as account_status
    ) r
    where i.id = ${claim.instanceId} and i.claim = ${claim.token}
    returning i.id, ${newTrouble} as new_trouble
  ), turned as (
    -- A failed try is a turn, too: else the other jobs of the account would wait for this image.
    update jobs j set last_turn_at = clock_now() from changed where j.id = ${upload.jobId}
  ), told as (
    ${tellTrouble}
  )
  insert into job_logs (job_id, log_level, reason)
  select ${upload.jobId}, 'Warning', failed.reason
  from (select ${json(reason('image_upload_failed', { ...why.params, why: why.code }))} as reason) failed
  where ${account.waiting === null} and failed.reason is distinct from (
    select l.reason from job_logs l where l.job_id = ${upload.jobId} order by l.id desc limit 1)`)
