/** npm run schema: writes server/schema.sql from the migrations, by way of a database of its own. */
import './preflight.mjs'
import './temporary.mjs'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../server/src/open-database.ts'
import { dumpSchema } from '../server/test/schema-dump.ts'
import { root } from './root.mjs'

const folder = mkdtempSync(join(tmpdir(), 'sendroom-schema-'))
// As root the cluster runs as another user, who needs access.
chmodSync(folder, 0o755)
const database = await openDatabase({ dataDir: folder }, console)
try {
  writeFileSync(join(root, 'server/schema.sql'), await dumpSchema(database.db))
} finally {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
}
