import { createReadStream, existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Config, ImageStore } from '../../config.ts'
import { mayConnectTo } from '../outgoing-hosts.ts'
import { createDraft, removeOldDrafts } from './draft.ts'
import type { Place } from './place.ts'

/** Where images and files are, and to which hosts a bucket may connect: all unless told. */
export type StoreConfig = Pick<Config, 'dataDir' | 'imageStore'> & Partial<Pick<Config, 'outgoingHosts'>>

export type Bucket = Extract<ImageStore, { kind: 's3' }>

/** A file of 100 MB may take so long on its way to the store. */
const LARGE_MS = 300_000

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/**
 * A bucket of S3. `drafts` is a folder of this machine where large files are complete before they are sent. The AWS
 * client finds the credentials itself, in the places that AWS's own tools use.
 */
export async function openBucket(
  { bucket, prefix, region, endpoint }: Bucket,
  drafts: string,
  outgoingHosts: Config['outgoingHosts'],
): Promise<Place> {
  const {
    DeleteObjectCommand,
    GetObjectCommand,
    HeadObjectCommand,
    NoSuchKey,
    NotFound,
    PutObjectCommand,
    S3Client,
  } = await import('@aws-sdk/client-s3')
  const client = new S3Client({
    region: region ?? 'us-east-1',
    // Stores other than Amazon's find buckets by path, not by host name.
    ...(endpoint && { endpoint, forcePathStyle: true }),
    // Errors reach the caller.
    logger: SILENT,
    // By default the client waits minutes for a store that does not answer, and so would the user.
    requestHandler: { connectionTimeout: 3000, requestTimeout: 30_000, throwOnRequestTimeout: true },
  })
  // AWS's own variables and files can name another address, which the configuration does not show.
  client.middlewareStack.add(
    (next) => (call) => {
      const { hostname } = call.request as { hostname: string } // an HttpRequest in this step
      if (!mayConnectTo(hostname, { outgoingHosts }))
        throw new Error(`OUTGOING_HOSTS does not allow ${hostname}`)
      return next(call)
    },
    { step: 'finalizeRequest' },
  )
  const object = (name: string) => ({ Bucket: bucket, Key: prefix ? `${prefix}/${name}` : name })

  async function orNull<T>(answer: Promise<T>): Promise<T | null> {
    try {
      return await answer
    } catch (error) {
      if (error instanceof NoSuchKey || error instanceof NotFound) return null
      throw error
    }
  }

  return {
    put: (name, bytes, mimeType) =>
      client.send(new PutObjectCommand({ ...object(name), Body: bytes, ContentType: mimeType })),
    async get(name) {
      const found = await orNull(client.send(new GetObjectCommand(object(name))))
      return (await found?.Body?.transformToByteArray()) ?? null
    },
    async createDraft() {
      await mkdir(drafts, { recursive: true, mode: 0o700 })
      // The sweep runs in a worker, which may be on another machine.
      await removeOldDrafts(drafts)
      return createDraft(drafts)
    },
    async keep(draft, name, mimeType) {
      const broken = new AbortController()
      const bytes = createReadStream(draft.path).on('error', (error) => broken.abort(error))
      const body = { Body: bytes, ContentLength: draft.size, ContentType: mimeType }
      // Otherwise the client would send the checksum behind the bytes, in an encoding that many stores don't know.
      const checksum = { ChecksumSHA256: draft.sha256().toString('base64') }
      const put = new PutObjectCommand({ ...object(name), ...body, ...checksum })
      // The client does not listen to errors of the file, and leaves it open if it can't send it.
      const sent = client.send(put, { requestTimeout: LARGE_MS, abortSignal: broken.signal })
      await sent.finally(() => bytes.destroy())
      await draft.discard()
    },
    async open(name, range) {
      const part = range && { Range: `bytes=${range.start}-${range.end}` }
      const found = await orNull(client.send(new GetObjectCommand({ ...object(name), ...part })))
      if (!(found?.Body instanceof Readable)) return null
      const whole = found.ContentRange?.split('/')[1] ?? found.ContentLength
      return { size: Number(whole), stream: found.Body }
    },
    async sizeOf(name) {
      const found = await orNull(client.send(new HeadObjectCommand(object(name))))
      return found?.ContentLength ?? null
    },
    remove: (name) => client.send(new DeleteObjectCommand(object(name))),
    async removeLeftovers() {
      if (existsSync(drafts)) await removeOldDrafts(drafts)
    },
  }
}
