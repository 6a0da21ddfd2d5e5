import { Readable } from 'node:stream'
import type { FileStore } from './platform/files/store.ts'
import { mimeTypeOf } from './platform/files/types.ts'
import type { ImageStore } from './platform/images/store.ts'
import type { MediaFile } from './providers/provider.ts'

/** Opens stored images and files, as the engine uploads them. The function returns null for an unknown name. */
export const mediaOpener = (images: ImageStore, files: FileStore) => async (name: string) =>
  (await openImage(images, name)) ?? (await openFile(files, name))

async function openImage(images: ImageStore, name: string): Promise<MediaFile | null> {
  const image = await images.read(name)
  return (
    image && {
      mimeType: image.mimeType,
      size: image.bytes.length,
      open: async () => Readable.from([image.bytes], { objectMode: false }),
    }
  )
}

async function openFile(files: FileStore, name: string): Promise<MediaFile | null> {
  const size = await files.sizeOf(name)
  if (size === null) return null
  async function open() {
    const file = await files.openFile(name)
    if (!file) throw new Error(`The file ${name} is gone`)
    return file.stream
  }
  return { mimeType: mimeTypeOf(name), size, open }
}
