import { setTimeout as delay } from 'node:timers/promises'
import { connect, type Pool } from '../src/platform/database/connection.ts'
import { sql } from '../src/platform/database/sql.ts'
import { openSecrets, secretsOf } from '../src/platform/secrets.ts'
import { factories } from './factories.ts'
import { type Installation, startSimulatorProcess } from './process.ts'
import { until } from './until.ts'

const FORMER = 'the key that an installation was set up with'
const NEW = 'the key that replaces it, as long as the other'
const KEYS = { SECRET_KEY: NEW, SECRET_KEY_PREVIOUS: FORMER }

type Size = { accounts: number; recipients: number; kills: number; pauseMs: number; withinMs: number }

export type Rotation = {
  /** How many accounts had the new key at the kills. */
  atKills: number[]
  unreadable: number
  expected: number
  sent: number
  /** How many messages went to numbers that were forgotten after they had opted out. */
  toForgotten: number
  /** Recipients that got the message more than once. */
  twice: number
  ms: number
}

/**
 * Replaces the key of an installation whose accounts all send, and kills `rotate-key` at random moments before it may
 * come to its end. Then the former key is taken away, and jobs are awaited.
 */
export async function rotateUnderKills(
  home: Installation,
  { accounts, recipients, kills, pauseMs, withinMs }: Size,
): Promise<Rotation> {
  await using simulator = await startSimulatorProcess(home.dataDir)
  await simulator.setLatency(30)
  const env = { TEST_PROVIDER_URL: simulator.url }
  const former = await home.start([], { ...env, SECRET_KEY: FORMER })
  const db = connect(home.database, { max: 2, applicationName: 'sendroom test rotation' })
  const chats = await addJobs(db, { accounts, recipients, pauseMs })
  await openSecrets(db, { secretKey: FORMER, dataDir: home.dataDir })
  const forgotten = await forgetFirsts(db)
  await former.end('SIGTERM')
  const sendroom = await home.start([], { ...env, ...KEYS })
  await db.run(sql`update jobs set scheduled_at = null`)
  await until('jobs send', async () => (await simulator.ledger()).length > 0, 60_000)

  const began = performance.now()
  const atKills = await killWhileRotating(home, db, { env, kills, accounts })
  const { code, stdout, stderr } = await home.run(['rotate-key'], { ...env, ...KEYS })
  if (code !== 0) throw new Error(`rotate-key ended with ${code}: ${stdout}${stderr}`)
  const ms = Math.round(performance.now() - began)
  const unreadable = accounts - (await countCurrent(db))
  // Nothing needs the former key any more.
  await sendroom.end('SIGTERM')
  await home.start([], { ...env, SECRET_KEY: NEW })
  await until('all jobs have ended', async () => (await countOpen(db)) === 0, withinMs)
  await db.end()
  const sent = (await simulator.ledger()).map(({ to }) => to)
  return {
    atKills,
    unreadable,
    expected: chats - forgotten.size,
    sent: new Set(sent).size,
    toForgotten: sent.filter((to) => forgotten.has(to)).length,
    twice: sent.length - new Set(sent).size,
    ms,
  }
}

/** Each of the kills comes at a random moment of a run that rotates. */
async function killWhileRotating(
  home: Installation,
  db: Pool,
  { env, kills, accounts }: { env: Record<string, string>; kills: number; accounts: number },
): Promise<number[]> {
  const atKills: number[] = []
  for (let kill = 1; kill <= kills; kill++) {
    const former = atKills.at(-1) ?? 0
    const most = former + Math.max(1, Math.ceil((accounts - former) / (kills - kill + 2)))
    const aim = former + 1 + Math.floor(Math.random() * (most - former))
    const rotating = home.launch(['rotate-key'], { ...env, ...KEYS })
    await until(`${aim} accounts`, async () => !rotating.isRunning || (await countCurrent(db)) >= aim, 60_000)
    await delay(Math.random() * 5)
    await rotating.end('SIGKILL')
    atKills.push(await countCurrent(db))
  }
  return atKills
}

async function addJobs(
  db: Pool,
  { accounts, recipients, pauseMs }: Pick<Size, 'accounts' | 'recipients' | 'pauseMs'>,
): Promise<number> {
  const add = factories(db, secretsOf(FORMER))
  for (let account = 1; account <= accounts; account++) {
    const { id } = await add.instance({
      token: `test_linked_rotated_${account}`,
      privatePauseFromMs: pauseMs,
      privatePauseToMs: pauseMs,
    })
    const numbers = Array.from(
      { length: recipients },
      (_, n) => `8490${String(account * 1000 + n + 1).padStart(8, '0')}`,
    )
    const chats = numbers.map((number) => `${number}@s.whatsapp.net`)
    await add.job({ instanceId: id, recipients: chats, scheduledAt: '2100-01-01T00:00:00Z' })
  }
  return accounts * recipients
}

/** Keeps of the first recipient of each job that they have opted out, as a keyed hash. Returns their chats. */
async function forgetFirsts(db: Pool): Promise<Set<string>> {
  const rows = await db.begin((tx) =>
    tx.many<{ chat: string }>(sql`
      with firsts as (
        select min(chat_id) as chat from deliveries group by job_id
      ), hashed as (
        insert into forgotten_opt_outs select number_hash('phone', split_part(chat, '@', 1)), 0, now() from firsts
      )
      select chat from firsts`),
  )
  return new Set(rows.map(({ chat }) => chat))
}

/** How many tokens the new key alone can read. */
async function countCurrent(db: Pool): Promise<number> {
  const { decrypt } = secretsOf(NEW)
  const rows = await db.many<{ tokenCipher: Buffer }>(sql`select token_cipher from instances`)
  return rows.filter(({ tokenCipher }) => isReadable(() => decrypt(tokenCipher))).length
}

function isReadable(read: () => string): boolean {
  try {
    return read().startsWith('test_linked_rotated_')
  } catch {
    return false
  }
}

const countOpen = (db: Pool) =>
  db.run(sql`select from deliveries where status not in ('sent', 'failed', 'skipped') limit 1`)
