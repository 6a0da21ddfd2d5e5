import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cancelJob } from '../../src/engine/index.ts'
import { findCountDifferences } from '../../src/platform/counts.ts'
import type { Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import type { Secrets } from '../../src/platform/secrets.ts'
import type { Evidence } from '../chaos/evidence.ts'
import { type RowEvidence, rowInvariants } from '../chaos/invariants.ts'
import { recipientCountsAgree } from '../chaos/invariants-jobs.ts'
import { listUnfinished } from '../chaos/quiescence.ts'
import { until } from '../until.ts'
import type { Environment } from './environment.ts'
import { API_KEY, SECRET } from './markers.ts'

/**
 * Cancels all jobs, waits until nothing is on its way, and checks the database, the ledger, the images and the logs.
 */
export async function checkAtEnd(environment: Environment, tokens: string[]): Promise<string[]> {
  const { db } = environment
  await cancelAll(db)
  await until('nothing is on its way', async () => !(await listUnfinished(db)), 120_000)
  const evidence = await collectRows(environment)
  return [
    ...rowInvariants.flatMap((invariant) => invariant(evidence)),
    ...(await recipientCountsAgree({ ...evidence, db })),
    ...(await rowsThatDisagree(db)),
    ...(await missingImages(environment)),
    ...(await leaks(environment, tokens)),
  ]
}

/** Without its series no run is to come. */
async function cancelAll(db: Pool): Promise<void> {
  await db.run(sql`delete from series`)
  const open = await db.many<{ id: number }>(sql`select id from jobs where status in ('Pending', 'Running')`)
  for (const { id } of open) await db.begin((tx) => cancelJob(tx, id, 'fuzz'))
}

/** Without the instances that got another token: their messages are in the ledgers of two channels. */
async function collectRows({ db, simulator, secrets }: Environment): Promise<RowEvidence> {
  const instances = await readInstances(db, secrets)
  const ids = instances.map(({ id }) => id)
  return {
    instances,
    jobs: await db.many<Evidence['jobs'][number]>(sql`select * from jobs where instance_id = any(${ids})`),
    deliveries: await db.many<Evidence['deliveries'][number]>(sql`
      select *, doubt_since is not null or next_look_at is not null as is_in_doubt from deliveries
      where instance_id = any(${ids})`),
    countDifferences: await findCountDifferences(db),
    ledger: (await simulator.ledger()).filter(({ source }) => source === 'api'),
  }
}

type InstanceRow = { id: number; tokenCipher: Buffer; inFlight: number | null; isLeased: boolean }

async function readInstances(db: Pool, secrets: Secrets): Promise<RowEvidence['instances']> {
  const rows = await db.many<InstanceRow>(sql`
    select id, token_cipher, in_flight, coalesce(lease_until > clock_now(), false) as is_leased from instances i
    where not exists (
      select from audit_log a
      where a.action = 'instance.update' and a.object_id = i.id and a.details->>'tokenChanged' = 'true')`)
  return rows.map(({ tokenCipher, ...row }) => ({ ...row, token: secrets.decrypt(tokenCipher) }))
}

async function rowsThatDisagree(db: Pool): Promise<string[]> {
  const { foreignGroups, unaudited } = await db.one<{ foreignGroups: number; unaudited: number }>(sql`
    select
      (select count(*) from message_groups mg join messages m on m.id = mg.message_id join groups g on g.id = mg.group_id
       where m.instance_id <> g.instance_id) as foreign_groups,
      (select count(*) from jobs j where j.created_by_user_id is not null and not exists (
        select from audit_log a where a.action = 'job.create' and a.object_id = j.id)) as unaudited`)
  return [
    ...(foreignGroups > 0 ? [`${foreignGroups} groups of messages belong to another instance`] : []),
    ...(unaudited > 0 ? [`The audit log does not say who created ${unaudited} jobs`] : []),
  ]
}

async function missingImages({ db, dataDir }: Environment): Promise<string[]> {
  const images = await db.many<{ name: string }>(sql`select name from images`)
  return images
    .filter(({ name }) => !existsSync(join(dataDir, 'images', name)))
    .map(({ name }) => `The file of the image ${name} is missing`)
}

/** Secrets in the server's log or in the audit log, and errors in the server's log. */
async function leaks({ db, server }: Environment, tokens: string[]): Promise<string[]> {
  const lines = server.stderr.split('\n')
  const isSecret = (line: string) =>
    line.includes(SECRET) || API_KEY.test(line) || tokens.some((token) => line.includes(token))
  const { audited } = await db.one<{ audited: number }>(sql`
    select count(*) as audited from audit_log a where a::text like ${`%${SECRET}%`} or a::text ~ ${API_KEY.source}`)
  return [
    ...lines.filter(isSecret).map((line) => `The log has a secret: ${line.slice(0, 1000)}`),
    ...lines
      .filter((line) => line.includes('"level":50'))
      .map((line) => `The server logged: ${line.slice(0, 2000)}`),
    ...(audited > 0 ? [`${audited} entries of the audit log have a secret`] : []),
  ]
}
