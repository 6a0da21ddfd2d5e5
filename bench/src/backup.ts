/**
 * How long do a backup and a restore of a million deliveries take, how much memory, and how large is the file? The
 * deliveries are sent, with what the provider said of them, and ten thousand jobs and ten thousand groups belong to
 * them.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { startCluster } from '../../server/src/embedded-postgres/cluster.ts'
import { connect } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { Installation } from '../../server/test/process.ts'
import { measure } from './commands.ts'
import { seedSent } from './seed.ts'
import { printTable } from './table.ts'

const DELIVERIES = 1_000_000

/** Creates an installation with its first Admin, and fills its database. */
async function seed(home: Installation) {
  await (await home.start()).end('SIGTERM')
  const cluster = await startCluster(home.dataDir, console)
  const db = connect(cluster.superuser, { max: 1, applicationName: 'sendroom bench' })
  await db.run(sql`set statement_timeout = 0`)
  await seedSent(db, DELIVERIES)
  await db.run(sql`
    update deliveries set intent = gen_random_uuid(), intent_at = sent_at, attempt = 1, ask_at = null,
      provider_message_id = md5(id::text) || '-gBEGkYiEB1VXAglK1ZE', delivered_at = sent_at, read_at = sent_at`)
  await db.run(sql`
    insert into matched_messages (instance_id, provider_message_id, delivery_id)
    select instance_id, provider_message_id, id from deliveries`)
  await db.run(sql`vacuum analyze`)
  await db.end()
  await cluster.stop()
}

await using source = await Installation.create()
await using target = await Installation.create()
await seed(source)
const file = join(source.dataDir, 'backup.tar.gz')
printTable(`Backup and restore of ${DELIVERIES.toLocaleString('en')} deliveries`, [
  await measure('backup', source.launch(['backup', file])),
  await measure('restore', target.launch(['restore', file])),
])
console.log(`  The file has ${(statSync(file).size / 1e6).toFixed(1)} MB.`)
