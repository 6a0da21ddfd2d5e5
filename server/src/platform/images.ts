import { randomBytes } from 'node:crypto'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Disk } from 'flydrive'
import type { Config } from '../config.ts'
import type { Db, Pool } from './database/connection.ts'
import { identifier, sql, values } from './database/sql.ts'
import { type CleanImage, cleanImage, type ImageType } from './image-file.ts'
import { Refusal } from './refusal.ts'

export type StoredImage = { bytes: Uint8Array; mimeType: string }

export type ImageStore = {
  /** Writes the file under a new unguessable name, and returns the name. */
  put: (bytes: Uint8Array, extension: CleanImage['extension']) => Promise<string>
  /** Null when there is no such file. */
  read: (name: string) => Promise<StoredImage | null>
  remove: (name: string) => Promise<void>
}

const MIME: Record<CleanImage['extension'], ImageType> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
}
const NAME = /^[0-9a-f]{32}\.(jpg|png|webp|gif)$/

/** Of a file that we named. */
const mimeTypeOf = (name: string) => MIME[name.split('.')[1] as CleanImage['extension']] // NAME allows no other

/** The files: in the data folder, or in the S3 bucket of the configuration. */
export function openImages({ dataDir, imageStore }: Pick<Config, 'dataDir' | 'imageStore'>): ImageStore {
  // Opened with the first image: each driver costs memory and time to load.
  let opened: Promise<Disk> | undefined
  const folder = join(dataDir, 'images')
  const disk = () => {
    opened ??= imageStore.kind === 's3' ? openBucket(imageStore) : openFolder(folder)
    return opened
  }
  /** Before its disk is mounted a folder has no files: that says nothing of them. A bucket tells it by itself. */
  const requireFolder = async () => {
    if (imageStore.kind === 'disk') await access(folder).catch(refuse)
  }
  const keyOf = (name: string) =>
    imageStore.kind === 's3' && imageStore.prefix ? `${imageStore.prefix}/${name}` : name
  return {
    async put(bytes, extension) {
      const name = `${randomBytes(16).toString('hex')}.${extension}`
      await disk()
        .then((it) => it.put(keyOf(name), bytes))
        .catch(refuse)
      return name
    },
    async read(name) {
      if (!NAME.test(name)) return null
      const bytes = await disk()
        .then((it) => it.getBytes(keyOf(name)))
        .catch((error) => (isMissing(error) ? null : refuse(error)))
      if (bytes) return { bytes, mimeType: mimeTypeOf(name) }
      await requireFolder()
      return null
    },
    async remove(name) {
      await requireFolder()
      await disk()
        .then((it) => it.delete(keyOf(name)))
        .catch(refuse)
    },
  }
}

/** A full disk, a bucket that is gone or locked: nothing that whoever asks did wrong. */
function refuse(cause: unknown): never {
  throw new Refusal('image_store_down', {}, null, cause)
}

/** Asked of the read itself: whether it `exists`, a bucket that is not there answers like one without the file. */
function isMissing({ cause }: Error): boolean {
  return (
    cause instanceof Error && (cause.name === 'NoSuchKey' || ('code' in cause && cause.code === 'ENOENT'))
  )
}

async function openFolder(location: string) {
  const [{ Disk }, { FSDriver }] = await Promise.all([import('flydrive'), import('flydrive/drivers/fs')])
  return new Disk(new FSDriver({ location, visibility: 'private' }))
}

/** Credentials come from where AWS's own tools look for them. */
async function openBucket({ bucket, region, endpoint }: Extract<Config['imageStore'], { kind: 's3' }>) {
  const [{ Disk }, { S3Driver }] = await Promise.all([import('flydrive'), import('flydrive/drivers/s3')])
  return new Disk(
    new S3Driver({
      bucket,
      region: region ?? 'us-east-1',
      // Stores other than Amazon's know buckets by path, not by host name.
      ...(endpoint && { endpoint, forcePathStyle: true }),
      visibility: 'private',
      // New buckets have no access lists and refuse a call that names one.
      supportsACL: false,
      // By itself the client waits for minutes for a store that is away, and so would a person.
      requestHandler: { connectionTimeout: 3000, requestTimeout: 30_000, throwOnRequestTimeout: true },
    }),
  )
}

/** In SQL: the address of the image whose id this column holds, or null. */
export const imageUrl = (idColumn: string) =>
  sql`(select '/images/' || image.name from images image where image.id = ${identifier(idColumn)})`

/** Stores what was uploaded and returns the image's id: the file first, so that no row points at nothing. */
export async function keepImage(db: Pool, images: ImageStore, uploaded: Buffer): Promise<number> {
  const { bytes, extension } = await cleanImage(uploaded)
  const name = await images.put(bytes, extension)
  const row = { name, mimeType: mimeTypeOf(name), size: bytes.length }
  const { id } = await db.one<{ id: number }>(sql`insert into images ${values(row)} returning id`)
  return id
}

/** Deletes the images that no message and no job has referred to for an hour; to be called now and then. */
export async function sweepImages(db: Pool, images: ImageStore): Promise<void> {
  await markUnused(db)
  const unused = await db.many<{ id: number; name: string }>(sql`
    select id, name from images where unused_since <= clock_now() - interval '1 hour' order by id limit 1000`)
  for (const { id, name } of unused) await deleteUnused(db, id, () => images.remove(name))
}

const isUsed = sql`(
  exists (select from messages m where m.image_id = i.id) or exists (select from jobs j where j.image_id = i.id)
)`

const markUnused = (db: Db) =>
  db.run(sql`
  update images i set unused_since = case when unused_since is null then clock_now() end
  where ${isUsed} = (unused_since is not null)`)

/** Unless somebody took it into use meanwhile. The row goes only with its file: else nobody would know of that. */
const deleteUnused = (db: Pool, id: number, removeFile: () => Promise<void>) =>
  db.begin(async (tx) => {
    // A new reference needs this row's lock too: who holds it is seen by the second statement or waits for it.
    await tx.run(sql`select from images where id = ${id} for update`)
    const count = await tx.run(sql`delete from images i where id = ${id} and not ${isUsed}`)
    if (count === 1) await removeFile()
  })

export function imageRoutes(app: FastifyInstance, images: ImageStore): void {
  app.get<{ Params: { name: string } }>(
    '/images/:name',
    { schema: { hide: true } },
    async (request, reply) => {
      const image = await images.read(request.params.name)
      if (!image) throw new Refusal('not_found')
      return reply
        .type(image.mimeType)
        .header('cache-control', 'private, max-age=31536000, immutable')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .send(Buffer.from(image.bytes))
    },
  )
}
