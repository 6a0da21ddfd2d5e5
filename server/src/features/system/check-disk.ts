import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import type { Finding } from '@sendroom/contract/system'
import { type Examined, finding } from './finding.ts'

const GIGABYTE = 1e9
/** PostgreSQL stops with a full disk. A day of a busy installation fits into a gigabyte. */
const LOW_BYTES = 2 * GIGABYTE

/** The data folder, unless everything is kept elsewhere. */
export async function checkDisk({ config, statfs: ask = statfs }: Examined): Promise<Finding[]> {
  const { dataDir: folder, database, imageStore } = config
  if (database && imageStore.kind === 's3') return []
  try {
    await access(folder, constants.W_OK)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return [finding('folder_unwritable', { folder, reason })]
  }
  const { bavail, bsize } = await ask(folder)
  const bytes = bavail * bsize
  const gigabytes = Math.round((bytes / GIGABYTE) * 10) / 10
  return [finding(bytes < LOW_BYTES ? 'disk_low' : 'disk_ok', { folder, gigabytes })]
}
