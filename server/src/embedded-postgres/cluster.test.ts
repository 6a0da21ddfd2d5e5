import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { connect, type Pool } from '../platform/database/connection.ts'
import { sql } from '../platform/database/sql.ts'
import { StartupError } from '../startup-error.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { explain } from './explain.ts'

let folder: string
let cleanUps: (() => Promise<unknown>)[]
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sendroom-cluster-'))
  await chmod(folder, 0o755)
  cleanUps = [() => rm(folder, { recursive: true })]
})
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
})

/** Puts a stopped cluster into the folder. A start would take a second to create one. */
const copyCluster = () => execFileSync('cp', ['-a', inject('readyCluster'), folder])

async function start(dataDir = folder): Promise<Cluster> {
  const cluster = await startCluster(dataDir, log)
  cleanUps.push(cluster.stop)
  return cluster
}

function pool(cluster: Cluster): Pool {
  const db = connect(cluster.superuser, { max: 2, applicationName: 'sendroom test' })
  cleanUps.push(() => db.end(1000))
  return db
}

const postmaster = (dataDir = folder) =>
  Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
const isRunning = () => existsSync(join(folder, 'postgres/postmaster.pid'))

/** Starts another Sendroom on the same folder, which a test can kill. */
async function startProcess(): Promise<ChildProcess> {
  const module = JSON.stringify(join(import.meta.dirname, 'cluster.ts'))
  const script = `
    const { startCluster } = await import(${module})
    const cluster = await startCluster(${JSON.stringify(folder)}, console)
    process.on('message', () => cluster.stop().then(() => process.exit()))
    process.send('up')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  cleanUps.push(async () => child.kill('SIGKILL'))
  await once(child, 'message')
  return child
}

test('an empty folder becomes a running cluster, and a later start finds the data', async () => {
  const dataDir = join(folder, 'not', 'yet')
  const first = await startCluster(dataDir, log)
  const db = connect(first.superuser, { applicationName: 'sendroom test' })
  await db.run(sql`create table kept as select 'ữ' as text`)
  await db.end()
  await first.stop()
  expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false)

  expect(await pool(await start(dataDir)).many(sql`select upper(text) as text from kept`)).toEqual([
    { text: 'Ữ' },
  ])
  expect(await readdir(dataDir)).toEqual(['postgres', 'postgres.log'])
})

test('the cluster listens on no TCP port', async () => {
  copyCluster()
  expect(await pool(await start()).many(sql`show listen_addresses`)).toEqual([{ listenAddresses: '' }])
})

test.runIf(process.platform === 'linux')('a connection gives back what a large statement took', async () => {
  copyCluster()
  const db = connect((await start()).superuser, { max: 1, applicationName: 'sendroom test' })
  cleanUps.push(() => db.end(1000))
  const { pid } = await db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  const kilobytes = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  const before = kilobytes()
  for (let nth = 0; nth < 2; nth++)
    await db.run(sql`
      select array_agg(n order by n desc), string_agg(n::text, ',') from generate_series(1, 300000) n`)
  expect(kilobytes() - before).toBeLessThan(2_000)
})

test('a start joins the cluster of a killed Sendroom', async () => {
  copyCluster()
  const child = await startProcess()
  const before = postmaster()
  child.kill('SIGKILL')
  await once(child, 'exit')

  expect(await pool(await start()).many(sql`select 1 as one`)).toEqual([{ one: 1 }])
  expect(postmaster()).toBe(before)
})

test.each(['started it', 'adopted it'])(
  'a killed PostgreSQL is started again by the process that %s, and its pools go on',
  async (how) => {
    copyCluster()
    if (how === 'adopted it') (await startProcess()).kill('SIGKILL')
    const db = pool(await start())
    await db.run(sql`create table kept as select 1 as one`)
    const before = postmaster()
    process.kill(before, 'SIGKILL')

    await expect.poll(() => postmaster()).not.toBe(before)
    await expect.poll(() => db.many(sql`select * from kept`)).toEqual([{ one: 1 }])
  },
  60_000, // the process id may stay in use until the system has reaped the process
)

test('two Sendrooms can start at once on one folder, and the last to leave stops the cluster', async () => {
  const [first, second] = await Promise.all([startProcess(), startProcess()])
  const ours = await start()
  for (const child of [first, second]) {
    child.send('stop')
    await once(child, 'exit')
    expect(await pool(ours).many(sql`select 1 as one`)).toEqual([{ one: 1 }])
  }
  await ours.stop()
  expect(isRunning()).toBe(false)
})

test('of two Sendrooms that leave at once, one stops the cluster', async () => {
  copyCluster()
  const [first, second] = await Promise.all([start(), start()])
  await Promise.all([first.stop(), second.stop()])
  expect(isRunning()).toBe(false)
})

test('a path that is too long for a socket works too', async () => {
  const cluster = await start(join(folder, 'x'.repeat(120)))
  cleanUps.push(() => rm(cluster.superuser.host, { recursive: true }))
  expect(await pool(cluster).many(sql`select 1 as one`)).toEqual([{ one: 1 }])
})

test('a folder that only its owner can enter works, or the error names a solution', async () => {
  await chmod(folder, 0o700)
  const outcome = await start().then(
    () => 'started',
    (error: Error) => error.message,
  )
  // This works for root only if the kernel allows user namespaces, and always for other users.
  if (process.getuid?.() !== 0) expect(outcome).toBe('started')
  else expect(['started', expect.stringContaining(`run "chmod o+x ${folder}"`)]).toContainEqual(outcome)
})

describe('one sentence explains', () => {
  test('a data folder that is a file', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await expect(startCluster(file, log)).rejects.toThrow(
      new StartupError(
        `The data folder ${file} cannot be created because a file is in its place. Set DATA_DIR to a folder.`,
      ),
    )
  })

  test('a cluster of another PostgreSQL version', async () => {
    copyCluster()
    await writeFile(join(folder, 'postgres/PG_VERSION'), '17\n')
    await expect(startCluster(folder, log)).rejects.toThrow(
      /was created by PostgreSQL 17, but this version of Sendroom includes/,
    )
  })

  test.each([
    ['initdb: error: could not write file "base/1/1": No space left on device', 'The disk with /d is full'],
    ["Error: EACCES: permission denied, mkdir '/d'", 'This user cannot write to the data folder /d'],
    ["Error: EROFS: read-only file system, mkdir '/d'", 'The data folder /d is on a read-only disk'],
    [
      'initdb: error: could not look up effective user ID 4242',
      'The user that runs Sendroom has no entry in /etc/passwd',
    ],
    ['FATAL:  data directory "/d" has invalid permissions', 'Other users can access the database in /d'],
    [
      'postgres: error while loading shared libraries: libicuuc.so.60',
      'Libraries of the embedded PostgreSQL are missing',
    ],
  ])('%j', (output, beginning) => {
    expect(explain(output, '/d')?.startsWith(beginning)).toBe(true)
  })
})
