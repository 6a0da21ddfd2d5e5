import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contract } from '@sendroom/contract'
import { expect, inject, test } from 'vitest'
import { connect } from '../../src/platform/database/connection.ts'
import { identifier, sql } from '../../src/platform/database/sql.ts'
import { HttpClient } from '../http-client.ts'
import { Installation, startSimulatorProcess } from '../process.ts'
import { readyInstallation } from '../ready-installation.ts'
import { until } from '../until.ts'
import { addInstance, allSent, chatsOf, createJob, phoneNumbers, readJob, untilEnded } from './scenario.ts'

const RECIPIENTS = 120
/** More people, who have written or been entered since the backup, or neither. */
const PEOPLE = 3

/** A database of a role that owns it and has no other rights. */
async function ownedDatabase() {
  const cluster = inject('testCluster')
  const name = `backup_${process.pid}`
  const admin = connect(cluster, { max: 1, applicationName: 'sendroom test' })
  await admin.run(sql`create role ${identifier(name)} login`)
  await admin.run(sql`create database ${identifier(name)} owner ${identifier(name)} template template0`)
  return {
    url: `postgres://${name}@${encodeURIComponent(cluster.host)}:${cluster.port}/${name}`,
    async makeDue(jobId: number) {
      const db = connect({ ...cluster, database: name }, { max: 1, applicationName: 'sendroom test' })
      await db.run(sql`update jobs set scheduled_at = null where id = ${jobId}`)
      await db.end()
    },
    async [Symbol.asyncDispose]() {
      await admin.run(sql`drop database ${identifier(name)} with (force)`)
      await admin.run(sql`drop role ${identifier(name)}`)
      await admin.end()
    },
  }
}

/** Creates a job that is paused long before it is due. */
async function createPausedJob(admin: HttpClient, job: Parameters<typeof createJob>[1]): Promise<number> {
  const id = await createJob(admin, { ...job, scheduledAt: '2099-01-01T00:00:00Z' })
  await admin.ask(contract.jobs.pause, { params: { id } })
  return id
}

const listOptOuts = async (admin: HttpClient) =>
  (await admin.ask(contract.optOuts.search, { body: {} })).data.map(({ phoneNumber }) => phoneNumber)

test('a backup of a running Sendroom moves it to another PostgreSQL and back, and its jobs wait for an Admin', {
  timeout: 300_000,
}, async () => {
  await using home = await readyInstallation()
  await using simulator = await startSimulatorProcess(home.dataDir)
  await simulator.setLatency(10)
  const env = { TEST_PROVIDER_URL: simulator.url }
  const server = await home.start([], env)
  const admin = await home.signIn(server)
  const instanceId = await addInstance(admin, 'test_linked_a')
  const numbers = phoneNumbers(RECIPIENTS)
  const people = phoneNumbers(RECIPIENTS + PEOPLE).slice(RECIPIENTS)
  const toNumbers = { jobType: 'SendToUsers', phoneNumbers: numbers.join(','), instanceId } as const
  const id = await createJob(admin, { text: 'sent', withImage: true, ...toNumbers })
  const later = await createJob(admin, { text: 'later', scheduledAt: '2099-01-01T00:00:00Z', ...toNumbers })
  const toPeople = await createPausedJob(admin, {
    text: 'to people',
    ...toNumbers,
    phoneNumbers: people.join(','),
  })
  await until('a quarter is sent', async () => (await simulator.ledger()).length > RECIPIENTS / 4, 60_000)

  const file = join(home.dataDir, 'backup.tar.gz')
  // The job must not end before the backup.
  await simulator.setLatency(1000)
  const backup = await home.run(['backup', file, '--with-key'])
  await simulator.setLatency(10)
  expect(backup).toMatchObject({ code: 0, stderr: '' })
  expect(backup.stdout).toContain(`${file} has `)
  expect(await home.run(['backup', file])).toMatchObject({
    code: 1,
    stderr: `${file} exists already. Name a new file.\n`,
  })
  expect(await untilEnded(admin, id, 200_000)).toMatchObject({ recipients: allSent(RECIPIENTS) })
  const [hasWritten = '', isEntered = ''] = people
  await simulator.receive('test_linked_a', hasWritten, 'Dừng')
  await admin.ask(contract.optOuts.create, { body: { phoneNumbers: isEntered } })
  await until('both have opted out', async () => (await listOptOuts(admin)).length === 2)
  await server.end('SIGTERM')

  await using external = await ownedDatabase()
  await using there = await Installation.create({ ...env, DATABASE_URL: external.url })
  const restored = await there.run(['restore', file])
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  expect(restored.stdout).toContain(
    'Everybody has to sign in again. Jobs paused: 2. Series paused: 0. Resume them on their pages.',
  )
  there.password = home.password
  const moved = await there.start()
  expect((await new HttpClient(moved.url, admin.token).call(contract.session.me, {})).status).toBe(401)
  const newAdmin = await there.signIn(moved)
  expect(await readJob(newAdmin, later)).toMatchObject({ status: 'Pending', isPaused: true })
  const { recipients } = await readJob(newAdmin, id)
  expect(recipients.sent).toBeLessThan(RECIPIENTS) // otherwise the job had ended before the backup
  await external.makeDue(toPeople)
  for (const paused of [id, toPeople]) await newAdmin.ask(contract.jobs.resume, { params: { id: paused } })
  // R-1135. The one who was entered by hand gets the message: the guide says so.
  expect(await untilEnded(newAdmin, toPeople, 60_000)).toMatchObject({
    status: 'Completed',
    recipients: { sent: PEOPLE - 1, skipped: 1 },
  })
  expect(await listOptOuts(newAdmin)).toEqual([`+${hasWritten}`])
  expect(await untilEnded(newAdmin, id, 60_000)).toMatchObject({
    status: 'Completed',
    recipients: allSent(RECIPIENTS),
  })
  const sent = (await simulator.ledger()).filter(({ source }) => source === 'api')
  expect(sent.map(({ to }) => to).sort()).toEqual(chatsOf([...numbers, ...people.slice(1)]))

  const second = join(there.dataDir, 'back.tar.gz')
  expect(await there.run(['backup', second])).toMatchObject({ code: 0 })
  await moved.end('SIGTERM')
  await using back = await Installation.create(env)
  const withoutKey = await back.run(['restore', second])
  expect(withoutKey.stdout).toContain(
    `Copy secret.key from the former data folder to ${join(back.dataDir, 'secret.key')}`,
  )
  expect(await back.run()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The encryption key is missing'),
  })
  writeFileSync(join(back.dataDir, 'secret.key'), readFileSync(join(there.dataDir, 'secret.key')))
  back.password = home.password
  const again = await back.start()
  expect(await readJob(await back.signIn(again), id)).toMatchObject({
    status: 'Completed',
    recipients: allSent(RECIPIENTS),
  })
  expect(await back.run(['restore', second])).toMatchObject({
    code: 1,
    stderr: `The database in the data folder ${back.dataDir} is not empty. Set DATA_DIR to a new folder.\n`,
  })
})

test('a backup of a data folder without a database creates none', async () => {
  await using home = await Installation.create()
  expect(await home.run(['backup', join(home.dataDir, 'file')])).toEqual({
    code: 1,
    stdout: '',
    stderr: `There is no database in the data folder ${home.dataDir}.\n`,
  })
  expect(existsSync(join(home.dataDir, 'postgres'))).toBe(false)
})

test.concurrent.each([
  [['backup']],
  [['backup', '--with-key']],
  [['backup', 'a', 'b']],
  [['restore']],
  [['restore', '--with-key']],
])('an incomplete command: %s', async (args) => {
  await using home = await Installation.create()
  const { code, stderr } = await home.run(args)
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(`Usage: npm start -- ${args[0]} FILE`),
  })
})
