import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Config } from '../../config.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/** Free space below a tenth of the disk is low, but 5 GB are enough on any disk. */
const LOW_SHARE = 0.1
const LOW_BYTES = 5e9
/** Space that hovers around the limit must not alarm again and again. */
const ENOUGH = 1.25

/** Reports how full the disk with the data folder is. Every process does so, for its own machine. */
export async function reportDisk({ db, config: { dataDir } }: { db: Pool; config: Config }): Promise<void> {
  // With a database elsewhere and images in S3 there may be no data folder.
  if (!existsSync(dataDir)) return
  const { blocks, bavail, bsize } = await statfs(dataDir)
  await saveDisk(db, { host: hostname(), folder: dataDir }, { total: blocks * bsize, free: bavail * bsize })
}

export async function saveDisk(
  db: Pool,
  { host, folder }: { host: string; folder: string },
  { total, free }: { total: number; free: number },
): Promise<void> {
  // Two processes of one host may have two data folders. The column names both, so that older programs can go on.
  const place = `${host}: ${folder}`
  const limit = Math.min(total * LOW_SHARE, LOW_BYTES)
  await db.run(sql`
    insert into disks as d (host, total_bytes, free_bytes, is_low)
    values (${place}, ${total}, ${free}, ${free < limit})
    on conflict (host) do update set total_bytes = excluded.total_bytes, free_bytes = excluded.free_bytes,
      is_low = excluded.is_low or (d.is_low and ${free < limit * ENOUGH}), checked_at = clock_now()`)
  // A container that was replaced has another name.
  await db.run(sql`delete from disks where checked_at < clock_now() - interval '1 day'`)
}
