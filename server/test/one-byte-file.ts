import { Readable } from 'node:stream'
import type { MediaFile } from '../src/providers/provider.ts'

/** An image for tests in which nobody looks at it. */
export const oneByteFile = async (): Promise<MediaFile> => fileOf(new Uint8Array([1]))

export const fileOf = (bytes: Uint8Array): MediaFile => ({
  mimeType: 'image/png',
  size: bytes.length,
  open: async () => Readable.from([bytes], { objectMode: false }),
})
