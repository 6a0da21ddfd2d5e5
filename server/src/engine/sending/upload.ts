import { Readable } from 'node:stream'
import type { Reason } from '@sendroom/contract/values'
import type { Db } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import type { MediaFile, UploadOutcome } from '../../providers/provider.ts'
import { type EngineDeps, resolveProvider, whyNoProvider } from '../context.ts'
import { failQueued } from '../jobs/fail-queued.ts'
import { type InstanceChange, newTrouble, setInstanceState } from '../shared/instance-change.ts'
import { insertLogLines, reason, troubleLines } from '../shared/job-log.ts'
import { underLock } from '../shared/lock.ts'
import type { Claim } from './claim.ts'
import type { Upload } from './intent.ts'
import { effectsOf } from './outcome-effects.ts'

/**
 * Uploads a job's image, before any intent: an upload reaches no recipient, so it may be repeated freely. Returns true
 * when the instance may continue.
 */
export async function uploadImage(
  deps: EngineDeps & { isGivingUp: () => boolean },
  claim: Claim,
  upload: Upload,
): Promise<boolean> {
  const { db, isGivingUp } = deps
  const outcome = await tryUpload(deps, upload)
  switch (outcome.kind) {
    case 'uploaded':
      await underLock(db, claim.instanceId, isGivingUp, (tx) =>
        tx.run(sql`
          update jobs set media_id = ${outcome.mediaId} where id = ${upload.jobId} and media_id is null`),
      )
      return true
    case 'rejected':
      // A rejected image would be rejected for every recipient.
      await failQueued(db, upload, outcome.reason, isGivingUp)
      return true
    default:
      await underLock(db, claim.instanceId, isGivingUp, (tx) =>
        holdInstance(tx, claim, upload, changeAfter(upload, outcome), outcome.reason),
      )
      return false
  }
}

async function tryUpload(deps: EngineDeps, upload: Upload): Promise<UploadOutcome> {
  const busy = (code: Reason['code']) => ({ kind: 'busy', reason: reason(code), retryAfterMs: null }) as const
  const connection = resolveProvider(deps, upload)
  if (!connection) return busy(whyNoProvider(deps, upload))
  const { jobId, instanceId } = upload
  let failing: Reason['code'] = 'image_store_down'
  try {
    const image = await deps.readImage(upload.imageName)
    if (!image) return { kind: 'rejected', reason: reason('media_missing') }
    failing = 'provider_unreadable'
    return await connection.provider.upload(connection.credentials, fileOf(image))
  } catch (error) {
    deps.log.error({ err: error, jobId, instanceId }, 'Could not read or upload an image')
    return busy(failing)
  }
}

const fileOf = ({ bytes, mimeType }: { bytes: Uint8Array; mimeType: string }): MediaFile => ({
  mimeType,
  size: bytes.length,
  open: async () => Readable.from([bytes], { objectMode: false }),
})

/** The same change as after a send with that outcome. */
const changeAfter = (
  upload: Upload,
  outcome: Extract<UploadOutcome, { kind: 'busy' | 'account' }>,
): InstanceChange =>
  effectsOf({ ...upload, attempt: 1, lastReason: null, recipientName: '' }, outcome, Math.random()).instance

/** Ends the claim and holds the instance back. The job's log gets one line, unless its last line says the same. */
const holdInstance = (tx: Db, claim: Claim, upload: Upload, change: InstanceChange, why: Reason) =>
  tx.run(sql`
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
      -- A failed upload counts as a turn, so that the instance's other jobs do not wait for this image.
      update jobs j set last_turn_at = clock_now() from changed where j.id = ${upload.jobId}
    ), logged as (
      ${insertLogLines(troubleLines('changed'))}
    )
    ${insertLogLines(sql`
      select ${upload.jobId}, 'Warning', failed.reason
      from (select ${json(reason('image_upload_failed', { ...why.params, why: why.code }))} as reason) failed
      where ${change.waiting === null} and failed.reason is distinct from (
        select l.reason from job_logs l where l.job_id = ${upload.jobId} order by l.id desc limit 1)`)}`)
