import type { Readable } from 'node:stream'
import type { Draft } from './draft.ts'

/** The first and the last byte to read. */
export type Range = { start: number; end: number }

/**
 * Where files are: a folder or a bucket. `get` and `open` return null only if the place works and has no such file.
 * After a crash a whole file is there, or none.
 */
export type Place = {
  put: (name: string, bytes: Uint8Array, mimeType: string) => Promise<unknown>
  get: (name: string) => Promise<Uint8Array | null>
  /** Begins a file that is too large for memory. It is on this machine, and becomes one of the place with `keep`. */
  createDraft: () => Promise<Draft>
  keep: (draft: Draft, name: string, mimeType: string) => Promise<unknown>
  /** `size` is that of the whole file. Without a range the stream has all of it. */
  open: (name: string, range?: Range) => Promise<{ size: number; stream: Readable } | null>
  /** The size of the file. */
  sizeOf: (name: string) => Promise<number | null>
  remove: (name: string) => Promise<unknown>
  /** A bucket needs no preparation. */
  prepare?: (isUsed: boolean) => Promise<unknown>
  removeLeftovers: () => Promise<unknown>
}
