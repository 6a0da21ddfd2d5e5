/**
 * Imported first by whatever runs tests: has their temporary files in memory, where there is room. They make and remove
 * hundreds of databases with hundreds of files each, which a disk's file system takes longer for than for all else.
 */
import { statfsSync } from 'node:fs'

const MEMORY = '/dev/shm'
/** Several times what they have there at once. */
const ENOUGH_BYTES = 4e9

if (freeBytes(MEMORY) >= ENOUGH_BYTES) process.env.TMPDIR ??= MEMORY

/** None where there is no such folder: not on Linux. */
function freeBytes(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}
