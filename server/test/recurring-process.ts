/** A process with one task of `one`, which writes when it begins and ends. Started by recurring.test.ts. */
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '../src/platform/database/connection.ts'
import { sql } from '../src/platform/database/sql.ts'
import { startTasks } from '../src/platform/recurring.ts'

const db = connect(JSON.parse(process.env.DATABASE ?? ''), { applicationName: 'sendroom recurring' })
async function run() {
  const { id } = await db.one<{ id: number }>(
    sql`insert into runs (pid, began_at) values (${process.pid}, clock_timestamp()) returning id`,
  )
  await delay(100)
  await db.run(sql`update runs set ended_at = clock_timestamp() where id = ${id}`)
}
startTasks([{ name: 'write', every: 100, by: 'one', run }], db, console)
