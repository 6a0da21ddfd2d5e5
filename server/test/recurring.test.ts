import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'
import { until } from './until.ts'

// Two processes with a task that one of them does, on a real PostgreSQL.

const context = useContext()
const children: ChildProcess[] = []
// Runs before the hook of useContext() that drops the database, because afterEach hooks run in the opposite order.
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function start() {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'recurring-process.ts')], {
    env: { DATABASE: JSON.stringify(context.database.address) },
    stdio: 'ignore',
  })
  children.push(child)
  return child
}

const countRuns = (pid: number | undefined) => context.db.run(sql`select from runs where pid = ${pid}`)

/** Runs that overlap with another, or begin less than an interval after the end of the one before. */
const countTooEarly = () =>
  context.db.run(sql`
    select from (select began_at, lag(ended_at) over (order by id) as last_end from runs) run
    where began_at < last_end + interval '95 milliseconds'`)

test.each([
  ['is killed in the middle of a run', 'SIGKILL'],
  ['stands still', 'SIGSTOP'],
] as const)('when the process that does the work %s, the other one does it', async (_, signal) => {
  await context.db.script(`
    create table runs (id bigint generated always as identity primary key, pid int, began_at timestamptz, ended_at timestamptz);
    alter role current_user in database ${context.database.address.database} set idle_in_transaction_session_timeout = '4s'`)
  const first = start()
  await until('the first process does the work', async () => (await countRuns(first.pid)) > 2)
  const second = start()
  await until('the first process goes on', async () => (await countRuns(first.pid)) > 5)
  expect(await countRuns(second.pid)).toBe(0)

  await until('a run is in its middle', () =>
    context.db.maybeOne(sql`select from runs where ended_at is null`).then(Boolean),
  )
  first.kill(signal)
  await until('the second process does the work', async () => (await countRuns(second.pid)) > 2)

  const before = await countRuns(first.pid)
  first.kill('SIGCONT')
  await until('the second process goes on', async () => (await countRuns(second.pid)) > 12)
  // A run that stood still may end, but no other begins.
  expect(await countRuns(first.pid)).toBe(before)
  await context.db.run(
    sql`delete from runs where ended_at is null or ended_at - began_at > interval '1 second'`,
  )
  expect(await countTooEarly()).toBe(0)
})
