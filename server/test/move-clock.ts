/** node server/test/move-clock.ts DATA_DIR INTERVAL: moves the clock of an embedded PostgreSQL on in a browser test. */
import { join } from 'node:path'
import { moveClockAt } from './clock.ts'

const [dataDir = '', by = ''] = process.argv.slice(2)
const address = {
  host: join(dataDir, 'postgres'),
  port: 5432,
  user: 'sendroom',
  password: '',
  database: 'sendroom',
}
await moveClockAt(address, by)
