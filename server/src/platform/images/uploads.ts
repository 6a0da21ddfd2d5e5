import type { FastifyReply } from 'fastify'
import type { Caller } from '../access.ts'
import type { Pool } from '../database/connection.ts'
import { sql, values } from '../database/sql.ts'
import { clientSignal } from '../heavy/client-signal.ts'
import { openHeavyWork } from '../heavy/heavy-work.ts'
import { requireRoomOnDisk } from '../quotas.ts'
import { Refusal } from '../refusal.ts'
import { openImageProcess } from './image-process.ts'
import type { UploadedFile } from './multipart.ts'
import { type ImageStore, mimeTypeOf } from './store.ts'

export type Upload = {
  bytes: Uint8Array
  caller: Pick<Caller, 'id' | 'apiKey'>
  /** Aborts when the client has left. */
  signal: AbortSignal
}

type Input = { caller: Caller; file: UploadedFile | null; reply: FastifyReply }

/** The image in a request, if there is one. */
export const uploadOf = ({ caller, file, reply }: Input): Upload | null =>
  file && { bytes: file.bytes, caller, signal: clientSignal(reply) }

export type Uploads = {
  /**
   * Cleans and stores an uploaded image and returns its id. The file comes first, so that no row ever points to a
   * missing file. Throws a refusal if the bytes are no image that we accept, or if too many images wait.
   */
  store: (upload: Upload) => Promise<number>
  stop: () => Promise<void>
}

/** Two images at a time would take twice the memory. */
const AT_ONCE = 1

/** Stores uploaded images, one at a time, however small they are: a small file may be a large picture. */
export function openUploads(db: Pool, images: ImageStore): Uploads {
  const turns = openHeavyWork(AT_ONCE)
  const imageProcess = openImageProcess()
  return {
    async store({ bytes, ...request }) {
      const { id: userId } = request.caller
      // Before the work, and again with the size that is stored.
      await db.begin((tx) => requireRoomOnDisk(tx, userId, 0))
      const image = await turns.run(request, ({ signal }) => imageProcess.clean(bytes, signal))
      const name = await images.put(image.bytes, image.extension)
      try {
        return await insertImage(db, { name, size: image.bytes.length, userId })
      } catch (error) {
        // The sweep finds files by their rows. Past the quota a user could fill the disk with files that have none.
        // After any other error the row may exist.
        if (error instanceof Refusal) await images.remove(name)
        throw error
      }
    },
    async stop() {
      await turns.stop()
      await imageProcess.stop()
    },
  }
}

const insertImage = (db: Pool, { name, size, userId }: { name: string; size: number; userId: number }) =>
  db.begin(async (tx) => {
    await requireRoomOnDisk(tx, userId, size)
    // The user may have been deleted meanwhile. The message or the job is then refused, and the image swept.
    const user = sql`(select id from users where id = ${userId} for key share)`
    const row = { name, mimeType: mimeTypeOf(name), size, userId: user }
    const { id } = await tx.one<{ id: number }>(sql`insert into images ${values(row)} returning id`)
    return id
  })
