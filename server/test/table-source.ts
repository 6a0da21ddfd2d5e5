import { createReadStream, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { TableSource } from '../src/platform/table-file/source.ts'

/** A file on the disk. */
export const sourceOf = (path: string): TableSource => ({
  size: statSync(path).size,
  read: (start = 0, end = Number.POSITIVE_INFINITY) =>
    end > start ? createReadStream(path, { start, end: end - 1 }) : Readable.from([]),
})
