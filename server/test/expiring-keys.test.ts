import { contract } from '@sendroom/contract'
import { languages } from '@sendroom/contract/languages'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { sendDueEmails } from '../src/features/notices/emails.ts'
import { presentTroubles } from '../src/features/notices/present.queries.ts'
import { lookForTroubles } from '../src/features/notices/watch.ts'
import { connect } from '../src/platform/database/connection.ts'
import { sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'
import type { TestUser } from './factories.ts'
import { startMailServer } from './mail-server.ts'

const mailServer = await startMailServer()
afterAll(() => mailServer.close())
const context = useContext({
  env: { SMTP_URL: mailServer.url, MAIL_FROM: 'Sendroom <alerts@example.com>' },
})

beforeEach(async () => {
  mailServer.mails.length = 0
  await context.freezeClock()
})

const { apiKeys, notices } = contract
const log = { warn: () => undefined }
const look = (db = context.db) => lookForTroubles(db, { hasMail: true })
const send = () =>
  sendDueEmails({ db: context.db, config: context.config, log }, new AbortController().signal)

async function pass(time = '0 seconds') {
  await context.moveClock(time)
  await look()
  await context.moveClock('11 seconds')
  await look()
  await send()
}

async function make(user: TestUser, days: number, name = 'Shop') {
  const body = { name, rights: [], instanceIds: null, addresses: [], days }
  return (await context.call(user, apiKeys.create, { body })).body
}
const bellOf = async (user: TestUser) => (await context.call(user, notices.list, {})).body.notices
const told = async () =>
  context.db.many<{ userId: number; moment: string; host: string }>(sql`
    select n.user_id, n.moment, t.host from notices n join troubles t on t.id = n.trouble_id order by n.id`)

// R-2155, R-2157
test('the owner of a key, and nobody else, is told 14 days and a day before it expires, once each', async () => {
  const [lan, minh] = [await context.add.user({ username: 'lan' }), await context.add.admin()]
  const { apiKey, secret } = await make(lan, 60)
  await pass('45 days 23 hours')
  expect(await told()).toEqual([])
  await pass('1 hour')
  for (const hours of [2, 24, 11 * 24]) await pass(`${hours} hours`)
  await pass('1 day')
  for (const hours of [2, 10]) await pass(`${hours} hours`)
  expect(await told()).toEqual([
    { userId: lan.id, moment: 'begin', host: `${apiKey.id} 14` },
    { userId: lan.id, moment: 'begin', host: `${apiKey.id} 1` },
  ])
  expect(await bellOf(minh)).toEqual([])
  expect(await bellOf(lan)).toMatchObject([
    { apiKey: { id: apiKey.id, name: 'Shop' }, host: '', expiresAt: apiKey.expiresAt, endedAt: null },
    { apiKey: { id: apiKey.id, name: 'Shop' }, host: '', endedAt: expect.any(String) },
  ])
  expect(mailServer.mails.map(({ to, subject }) => [to, subject])).toEqual(
    ['', ''].map(() => ['lan@example.com', 'Sendroom: API keys that expire soon: Shop']),
  )
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'Asia/Ho_Chi_Minh' })
  expect(mailServer.mails[0]?.text).toContain(`(expires on ${day.format(new Date(apiKey.expiresAt))}`)
  const everything = JSON.stringify([mailServer.mails, await bellOf(lan)])
  expect(everything).not.toContain(secret.slice(0, 13))
})

// R-2156
test('nobody is told of a key that was revoked, has expired, or was made for so few days, nor a locked owner', async () => {
  const [lan, locked] = [await context.add.user(), await context.add.user()]
  const { apiKey } = await make(lan, 20, 'Revoked')
  await make(lan, 14, 'For two weeks')
  await make(locked, 20)
  await context.moveClock('6 days 1 minute')
  await look()
  await context.call(lan, apiKeys.revoke, { params: apiKey })
  await context.db.run(sql`update users set is_active = false where id = ${locked.id}`)
  await pass()
  await make(lan, 1, 'For a day')
  await pass('23 hours')
  expect(await context.db.many(sql`select from troubles`)).toEqual([])
  expect(mailServer.mails).toEqual([])

  await pass('6 days 2 hours')
  expect(await bellOf(lan)).toMatchObject([{ apiKey: { name: 'For two weeks' }, endedAt: null }])
  await pass('1 day') // expired
  expect(await bellOf(lan)).toMatchObject([{ endedAt: expect.any(String) }])
  await context.db.run(sql`delete from api_keys`)
  expect(await bellOf(lan)).toEqual([])
  expect(mailServer.mails).toHaveLength(1)
})

// R-2156
test('an email that waits does not tell of a key that was revoked meanwhile', async () => {
  const lan = await context.add.user()
  const { apiKey } = await make(lan, 20)
  await context.moveClock('7 days')
  await look()
  await context.moveClock('11 seconds')
  await look()
  await context.call(lan, apiKeys.revoke, { params: apiKey })
  await send()
  expect(mailServer.mails).toEqual([])
})

// R-2158
test('several servers tell once, with one query that reads only the keys that expire', async () => {
  const lan = await context.add.user()
  const { apiKey } = await make(lan, 20)
  await context.db.run(sql`
    insert into api_keys (user_id, name, token_hash, start, rights, addresses, expires_at)
    select ${lan.id}, 'Key', sha256(n::text::bytea), 'sendroom_abcd', '{}', '{}', clock_now() + interval '1 year'
    from generate_series(1, 2000) n`)
  await context.db.run(sql`analyze api_keys`)
  await context.moveClock('7 days')
  const servers = [1, 2, 3].map((n) => connect(context.database.address, { applicationName: `server ${n}` }))
  await Promise.all(servers.map(look))
  await context.moveClock('11 seconds')
  await Promise.all([...servers, ...servers].map(look))
  await Promise.all(servers.map((db) => db.end()))
  expect(await told()).toEqual([{ userId: lan.id, moment: 'begin', host: `${apiKey.id} 14` }])
  const plan = await context.db.many<Record<string, string>>(sql`explain ${presentTroubles}`)
  const lines = plan.map((line) => Object.values(line)[0] ?? '')
  expect(lines.filter((line) => line.includes('on api_keys'))).toEqual([
    expect.stringContaining('Index Scan using api_keys_expires_at'),
  ])
})

// R-2177
test('of thousands of keys that expire at once a thousand are told at each look, whatever PostgreSQL expects', async () => {
  await context.db.run(sql`
    with owners as (
      insert into users (username, email, password_hash, role, is_active)
      select 'owner-' || n, n || '@example.com', '', 'Member', true from generate_series(1, 1000) n returning id
    )
    insert into api_keys (user_id, name, token_hash, start, rights, addresses, created_at, expires_at)
    select id, 'Key', sha256((id || ' ' || n)::bytea), 'sendroom_abcd', '{}', '{}',
      clock_now() - interval '1 month', clock_now() + interval '13 days'
    from owners, generate_series(1, 20) n`)
  await look()
  await context.moveClock('11 seconds')
  for (const count of [1000, 2000]) {
    await look()
    expect(await told()).toHaveLength(count)
  }
})

// R-2178
test('a clock that is set back does not tell again', async () => {
  const { apiKey } = await make(await context.add.user(), 60)
  await pass('46 days 1 hour')
  await pass('12 days 23 hours 30 minutes')
  const both = [{ host: `${apiKey.id} 14` }, { host: `${apiKey.id} 1` }]
  expect(await told()).toMatchObject(both)
  await pass('-3 hours')
  expect(await told()).toMatchObject(both)
  await pass('4 hours')
  expect(await told()).toMatchObject(both)
})

// R-2159
test('the email says in the language of its user what the page does, with the name as one line', async () => {
  const words = {
    en: 'Once the key has expired, its programs are refused',
    vi: 'Khi khóa hết hạn',
    cn: '到期后',
  }
  for (const language of languages) {
    const user = await context.add.user({ username: language })
    await context.call(user, contract.session.language, { body: { language } })
    await make(user, 20, 'Shop\nBcc: x')
  }
  await pass('7 days')
  for (const language of languages) {
    const mail = mailServer.mails.find(({ to }) => to === `${language}@example.com`)
    expect(mail?.text).toContain(`- Shop Bcc: x: ${words[language]}`)
  }
})

// R-2160
test('receivers of webhooks get the id of the key, and neither its name nor the key', async () => {
  await context.db.run(sql`
    insert into webhook_receivers (name, url, secret_cipher, topics, is_active, allows_own_network)
    values ('', '', '', '{trouble}', true, false)`)
  const { apiKey } = await make(await context.add.user(), 20)
  await pass('7 days')
  expect(await context.db.many(sql`select type, data from webhook_events`)).toEqual([
    {
      type: 'trouble.began',
      data: expect.objectContaining({ kind: 'key_expiring', apiKeyId: apiKey.id, host: null }),
    },
  ])
})
