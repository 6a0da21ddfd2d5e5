/** Does a backup with 5 GB of files take more memory than one without? Both are encrypted, and so are the restores. */
import { randomBytes } from 'node:crypto'
import { link, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startCluster } from '../../server/src/embedded-postgres/cluster.ts'
import { connect } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { newName } from '../../server/src/platform/files/store.ts'
import { Installation } from '../../server/test/process.ts'
import { measure } from './commands.ts'
import { printTable } from './table.ts'

const FILES = 50
const FILE_BYTES = 100 << 20

/** Creates an installation whose messages have so many files. Random bytes, because media can't be compressed. */
async function create(count: number): Promise<Installation> {
  const home = await Installation.create({ BACKUP_PASSWORD: 'a password of the benchmark' })
  await (await home.start()).end('SIGTERM')
  const names = Array.from({ length: count }, () => newName('bin'))
  await fillFolder(join(home.dataDir, 'files'), names)
  const cluster = await startCluster(home.dataDir, console)
  const db = connect(cluster.superuser, { max: 1, applicationName: 'sendroom bench' })
  await db.run(sql`
    insert into files (name, mime_type, size, sha256, kinds)
    select name, 'application/octet-stream', ${FILE_BYTES}, sha256(name::bytea), '{document}'
    from unnest(${names}::text[]) name`)
  await db.end()
  await cluster.stop()
  return home
}

/** The content is on the disk once, under all names. */
async function fillFolder(folder: string, [first, ...others]: string[]) {
  if (first === undefined) return
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, '.sendroom-files'), '')
  await writeFile(join(folder, first), randomBytes(FILE_BYTES))
  for (const name of others) await link(join(folder, first), join(folder, name))
}

const rows = []
for (const count of [0, FILES]) {
  await using source = await create(count)
  await using target = await Installation.create({ BACKUP_PASSWORD: 'a password of the benchmark' })
  const file = join(source.dataDir, 'backup.tar.gz')
  const what = `${(count * FILE_BYTES) / 1e9} GB`
  rows.push(await measure(`backup, ${what}`, source.launch(['backup', file])))
  rows.push(await measure(`restore, ${what}`, target.launch(['restore', file])))
}
printTable(`Backup and restore without files, and with ${FILES} of ${FILE_BYTES >> 20} MB`, rows)
