import { addAbortSignal } from 'node:stream'
import type { Reason } from '@sendroom/contract/values'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { Refusal } from '../../platform/refusal.ts'
import { openTurnstile } from '../../platform/turnstile.ts'
import type { MediaFile, UploadOutcome } from '../../providers/provider.ts'
import { type EngineDeps, resolveProvider, whyNoProvider } from '../context.ts'
import { failQueued } from '../jobs/fail-queued.ts'
import { reason } from '../shared/job-log.ts'
import { underLock } from '../shared/lock.ts'
import { isRunning } from '../shared/pace.ts'
import type { Claim } from './claim.ts'
import { holdInstance } from './hold-instance.ts'
import type { Upload } from './intent.ts'

/** `stopping` aborts when the worker stops. An upload may take minutes, and a stop waits for none. */
type Uploading = EngineDeps & { isGivingUp: () => boolean; stopping: AbortSignal }

/** Large uploads of a worker share its line. All at once would time out together, and begin again together. */
const { run: inTurn } = openTurnstile({ ofUser: 3, waitingOfUser: 10_000, retrySeconds: 10 })
const EVERYBODY = { userId: 0 }
/** An image of 200 kB does not wait until three documents of 100 MB are through. */
const LARGE_BYTES = 1 << 20
/** How often a large upload, also one that waits, looks whether its job still runs. */
const LOOK_MS = 2_000

/** The provider keeps a file for 30 days. A job that takes longer uploads it again when the provider has lost it. */
const KEPT = '29 days'

/**
 * Uploads a job's image or file, unless the account has done so before. This comes before any intent: an upload reaches
 * no recipient, so it may be repeated freely. Returns true when the instance may continue.
 */
export async function uploadMedia(deps: Uploading, claim: Claim, upload: Upload): Promise<boolean> {
  const { db, isGivingUp, stopping } = deps
  const began = performance.now()
  const mediaId = await findUpload(db, upload)
  const outcome: UploadOutcome = mediaId ? { kind: 'uploaded', mediaId } : await tryUpload(deps, upload)
  switch (outcome.kind) {
    case 'uploaded':
      await underLock(db, claim.instanceId, isGivingUp, (tx) => recordUpload(tx, upload, outcome.mediaId))
      return true
    case 'rejected':
      // A rejected file would be rejected for every recipient.
      await failQueued(db, upload, outcome.reason, isGivingUp)
      return true
    default:
      // Nothing has failed: the next worker uploads the file, or nobody.
      if (stopping.aborted || !(await isWanted(db, upload.jobId))) return true
      await underLock(db, claim.instanceId, isGivingUp, (tx) =>
        holdInstance(tx, claim, upload, outcome, 'image_upload_failed', performance.now() - began),
      )
      return false
  }
}

async function findUpload(db: Db, { instanceId, mediaName }: Upload): Promise<string | null> {
  const known = await db.maybeOne<{ mediaId: string }>(sql`
    select media_id from provider_uploads
    where instance_id = ${instanceId} and name = ${mediaName} and uploaded_at > clock_now() - ${KEPT}::interval`)
  return known?.mediaId ?? null
}

const recordUpload = (tx: Db, { jobId, instanceId, mediaName }: Upload, mediaId: string) =>
  tx.run(sql`
    with known as (
      insert into provider_uploads as known (instance_id, name, media_id)
      select id, ${mediaName}, ${mediaId} from instances where id = ${instanceId}
      on conflict (instance_id, name) do update set media_id = excluded.media_id, uploaded_at = excluded.uploaded_at
      where known.media_id <> excluded.media_id
    )
    update jobs j set media_id = ${mediaId}, last_turn_at = least(j.last_turn_at, clock_now())
    where j.media_id is null and j.instance_id = ${instanceId}
      -- Jobs that were put off with the same file wait for nothing any more.
      and (j.id = ${jobId} or j.status = 'Running' and j.last_turn_at > clock_now())
      -- The job may have been cancelled, restarted and changed meanwhile.
      and ${mediaName} in (
        select name from images where id = j.image_id union all select name from files where id = j.file_id)`)

/** For a new token: it may belong to another channel, which has none of the account's files. */
export async function forgetUploads(tx: Db, instanceId: number): Promise<void> {
  await tx.run(sql`delete from provider_uploads where instance_id = ${instanceId}`)
  await tx.run(sql`
    update jobs set media_id = null
    where instance_id = ${instanceId} and status in ('Pending', 'Running') and media_id is not null`)
}

/** The provider has deleted them by now. */
export const deleteOldUploads = (tx: Db, limit: number) =>
  tx.run(sql`
    delete from provider_uploads where (instance_id, name) in (
      select instance_id, name from provider_uploads
      where uploaded_at < clock_now() - interval '30 days' order by uploaded_at limit ${limit} for update skip locked)`)

async function tryUpload(deps: Uploading, upload: Upload): Promise<UploadOutcome> {
  const busy = (code: Reason['code']) => ({ kind: 'busy', reason: reason(code), retryAfterMs: null }) as const
  const connection = resolveProvider(deps, upload)
  if (!connection) return busy(whyNoProvider(deps, upload))
  const { jobId, instanceId } = upload
  try {
    const file = await deps.openMedia(upload.mediaName)
    if (!file) return { kind: 'rejected', reason: reason('media_missing') }
    const { provider, credentials } = connection
    const { stopping } = deps
    const send = (signal: AbortSignal) => provider.upload(credentials, untilAborted(file, signal))
    if (file.size < LARGE_BYTES) return await send(stopping)
    return await whileWanted(deps, jobId, (signal) => inTurn({ ...EVERYBODY, signal }, () => send(signal)))
  } catch (error) {
    // The turnstile refuses whoever leaves it, since nobody wants the upload any more.
    if (!deps.stopping.aborted && !(error instanceof Refusal))
      deps.log.error({ err: error, jobId, instanceId }, 'Could not read or upload a file')
    // A provider rejects only if the file can't be opened.
    return busy('image_store_down')
  }
}

/** Aborts the work when the job is cancelled, paused or deleted. The account's other jobs may be waiting for that. */
async function whileWanted<T>(
  { db, stopping }: Uploading,
  jobId: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const unwanted = new AbortController()
  const look = async () => (await isWanted(db, jobId)) || unwanted.abort()
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS) // the next look may succeed
  try {
    return await work(AbortSignal.any([stopping, unwanted.signal]))
  } finally {
    clearInterval(timer)
  }
}

const isWanted = async (db: Db, jobId: number) =>
  (await db.run(sql`select from jobs j where j.id = ${jobId} and ${isRunning} and j.paused_at is null`)) > 0

/** The same file, whose stream breaks when the signal aborts. */
const untilAborted = (file: MediaFile, signal: AbortSignal): MediaFile => ({
  ...file,
  open: async () => addAbortSignal(signal, await file.open()),
})
