/**
 * Puts the temporary files of tests in memory if there is room. Import this file first, as TMPDIR must be set before
 * anything reads it. Tests create and remove hundreds of databases with hundreds of files each, and on a disk that
 * takes longer than the tests themselves.
 */
import { statfsSync } from 'node:fs'

const MEMORY = '/dev/shm'
/** Several times the space that the tests need at once. */
const ENOUGH_BYTES = 4e9

if (freeBytes(MEMORY) >= ENOUGH_BYTES) process.env.TMPDIR ??= MEMORY

/** Returns 0 without such a folder: only Linux has /dev/shm. */
function freeBytes(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}
