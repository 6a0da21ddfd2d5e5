import { expect, test } from 'vitest'
import { resumeJob, whyWaiting } from '../src/engine/index.ts'
import { examine } from '../src/features/system/examine.ts'
import { sql } from '../src/platform/database/sql.ts'
import { findKey, secretsOf } from '../src/platform/secrets.ts'
import { useBackups } from './backup-fixture.ts'
import { factories } from './factories.ts'
import { scriptedProvider } from './scripted-provider.ts'
import { until } from './until.ts'
import { startWorker } from './worker.ts'

const backups = useBackups()
const FORGOTTEN = '84912345678'

/** Backs up an installation that knows one forgotten number, which has opted out, and a job of each kind. */
async function backUpForgotten() {
  const source = await backups.open('tpl')
  const add = factories(source.db, await source.openSecrets())
  const instance = await add.instance({ groupPauseFromMs: 0, groupPauseToMs: 0 })
  await source.db.begin((tx) =>
    tx.run(sql`
      insert into forgotten_opt_outs (hash, instance_id, said_at)
      values (number_hash('phone', ${FORGOTTEN}), ${instance.id}, clock_now())`),
  )
  const toPeople = await add.job({
    instanceId: instance.id,
    jobType: 'SendToUsers',
    status: 'Running',
    recipients: [`${FORGOTTEN}@s.whatsapp.net`, '84900000001@s.whatsapp.net'],
  })
  const toGroups = await add.job({
    instanceId: instance.id,
    status: 'Running',
    recipients: ['1@g.us', '2@g.us'],
  })
  await source.backUp(backups.file())
  return { source, toPeople, toGroups }
}

// R-2142
test('a restore without the key sends nothing: Sendroom starts neither without a key nor with another one', async () => {
  await backUpForgotten()
  const target = await backups.open('template0')
  expect(await target.restore(backups.file())).toMatchObject({ hasKey: false })
  expect(target.said.at(-1)).toContain('The encryption key is missing.')
  await expect(target.openSecrets()).rejects.toThrow('The encryption key is missing: SECRET_KEY is not set')
  target.env = { SECRET_KEY: 'x'.repeat(40) }
  await expect(target.openSecrets()).rejects.toThrow('SECRET_KEY does not match this database.')
  const { provider } = scriptedProvider()
  const findings = await examine({ config: target.config, db: target.db, provider })
  expect(findings).toContainEqual({ code: 'key_wrong', params: {} })
})

// R-2143, R-2144
test('with a key that can’t read that of forgotten numbers people wait, and are told why, and groups go on', async () => {
  const { source, toPeople, toGroups } = await backUpForgotten()
  const target = await backups.open('template0')
  await target.restore(backups.file())
  target.env = { SECRET_KEY: findKey(source.config) ?? '' }
  const { db } = target
  const other = secretsOf('another key of another installation').encrypt('a key')
  await db.run(sql`update installation set number_key_cipher = ${other}`)

  const secrets = await target.openSecrets()

  const { provider, ledger } = scriptedProvider()
  for (const { id } of [toPeople, toGroups]) await db.begin((tx) => resumeJob(tx, id, 'Ann'))
  const log = { info() {}, warn() {}, error() {} }
  const openMedia = async () => null
  const engine = startWorker({ db, log, secrets, openMedia, providers: { live: provider, test: provider } })
  const statusOf = (id: number) =>
    db.one<{ status: string }>(sql`select status from jobs where id = ${id}`).then(({ status }) => status)
  try {
    await until('the groups have it', async () => (await statusOf(toGroups.id)) === 'Completed')
    await until(
      'the job to people says why it waits',
      async () => (await whyWaiting(db, toPeople.id)).waiting?.code === 'number_key_missing',
    )
  } finally {
    await engine.stop()
  }
  expect(ledger.map(({ to }) => to).sort()).toEqual(['1@g.us', '2@g.us'])
  expect(await statusOf(toPeople.id)).toBe('Running')
  const findings = await examine({ config: target.config, db, provider })
  expect(findings).toContainEqual({ code: 'number_key_wrong', params: { table: 'installation' } })
})

// R-2143
test('with the key a restore sends to people again, and the opt-out of the forgotten number holds', async () => {
  const { source, toPeople } = await backUpForgotten()
  const target = await backups.open('template0')
  await target.restore(backups.file())
  target.env = { SECRET_KEY: findKey(source.config) ?? '' }
  const { db } = target
  await target.openSecrets()
  await db.begin((tx) => tx.run(sql`update deliveries set status = 'sending' where job_id = ${toPeople.id}`))
  expect(
    await db.many(sql`select chat_id, status from deliveries where job_id = ${toPeople.id} order by id`),
  ).toEqual([
    { chatId: `${FORGOTTEN}@s.whatsapp.net`, status: 'skipped' },
    { chatId: '84900000001@s.whatsapp.net', status: 'sending' },
  ])
})
