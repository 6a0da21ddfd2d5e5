import { contract } from '@sendroom/contract'
import type { NoticeKind } from '@sendroom/contract/notice-kinds'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { Followed } from '../../../test/followed.ts'
import { mailPassword, startMailServer } from '../../../test/mail-server.ts'
import { useSimulator } from '../../../test/simulated.ts'
import { until } from '../../../test/until.ts'
import { beginBackup, endBackup } from '../../backup/outcome.ts'
import { markOverdue } from '../../engine/index.ts'
import { connect } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { LOOK_EVERY_MS, SEND_EVERY_MS } from '../../recurring-work.ts'
import { saveDisk } from './disks.ts'
import { sendDueEmails } from './emails.ts'
import { deleteOldNotices, lookForTroubles } from './watch.ts'

const mailServer = await startMailServer()
afterAll(() => mailServer.close())
const simulated = useSimulator()
let base: string | null = null
const context = useContext({
  providers: simulated.providers,
  webhookBase: () => base,
  env: {
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'Sendroom <alerts@example.com>',
    PUBLIC_URL: 'https://send.example',
  },
})

let logged: object[] = []
beforeEach(async () => {
  logged = []
  base = null
  mailServer.mails.length = 0
  mailServer.accept = () => null
  await context.freezeClock()
})

const { notices, jobs } = contract
const log = { warn: (details: object) => void logged.push(details) }
const look = (db = context.db) => lookForTroubles(db, { hasMail: true })
const send = (mail = context.config.mail) =>
  sendDueEmails({ db: context.db, config: { ...context.config, mail }, log }, new AbortController().signal)

/** Looks until a change has been there long enough for a notice, and sends the emails. */
async function pass() {
  await look()
  await context.moveClock('11 seconds')
  await look()
  await send()
}

/** Looks until a trouble has been gone long enough to be over, and sends the emails. */
async function calm() {
  await look()
  await context.moveClock('5 minutes 1 second')
  await look()
  await send()
}

const listen = async () => `http://127.0.0.1:${await context.listen()}`

const listOf = async (user: TestUser) => (await context.call(user, notices.list, {})).body.notices
/** The notices of a user in short: `+` for a trouble that lasts, `-` for one that is over. */
const bellOf = async (user: TestUser) =>
  (await listOf(user)).map(({ kind, instance, job, host, endedAt }) =>
    `${endedAt ? '-' : '+'}${kind} ${[instance?.name, job?.name, host].filter(Boolean).join(' ')}`.trim(),
  )
const momentsOf = async (user: TestUser) =>
  (
    await context.db.many<{ moment: string }>(
      sql`select moment from notices where user_id = ${user.id} order by id`,
    )
  ).map(({ moment }) => moment)

const titleOfFirstJob = async () =>
  (await context.db.one<{ text: string }>(sql`select text_content as text from jobs order by id limit 1`))
    .text

const linked = (name: string) => context.add.instance({ name, lastSyncAt: '2026-01-01T00:00:00.000Z' })
const drop = (status = 'NeedsLogin') => context.db.run(sql`update instances set status = ${status}`)
const recover = () => drop('Connected')

describe('an instance that drops out', () => {
  //
  test('is told once, once more after an hour, and once when it is back', async () => {
    const admin = await context.add.admin({ username: 'minh' })
    await linked('Shop 1')
    await drop()
    await pass()
    await pass()
    expect(await momentsOf(admin)).toEqual(['begin'])
    expect(await listOf(admin)).toMatchObject([
      { kind: 'account_down', reason: { code: 'account_not_linked' }, isRead: false, endedAt: null },
    ])
    await context.moveClock('1 hour')
    await pass()
    await context.moveClock('5 hours')
    await pass()
    expect(await momentsOf(admin)).toEqual(['begin', 'reminder'])
    // Somebody links the instance again: not over yet.
    await drop('Connecting')
    await pass()
    expect(await bellOf(admin)).toEqual(['+account_down Shop 1'])
    await recover()
    await calm()
    await pass()
    expect(await momentsOf(admin)).toEqual(['begin', 'reminder', 'end'])
    expect(await bellOf(admin)).toEqual(['-account_down Shop 1'])
    expect(mailServer.mails.map(({ subject }) => subject)).toEqual([
      'Sendroom: Accounts that can’t send: Shop 1',
      'Sendroom: Still: Accounts that can’t send: Shop 1',
      'Sendroom: Accounts that can send again: Shop 1',
    ])
  })

  //
  test('is not told if it is back within seconds, was never linked, or was switched off', async () => {
    const admin = await context.add.admin()
    await linked('Brief')
    await drop()
    await look()
    await recover()
    await pass()
    await context.db.run(sql`update instances set status = 'NeedsLogin', is_active = false`)
    await context.add.instance({ status: 'NeedsLogin' })
    await pass()
    expect(await momentsOf(admin)).toEqual([])
    expect(await context.db.many(sql`select from troubles`)).toEqual([])
  })

  //
  test('is not told again while it comes and goes', async () => {
    const admin = await context.add.admin()
    await linked('Flapping')
    await drop()
    await pass()
    for (let n = 0; n < 5; n++) {
      await recover()
      await look()
      await drop()
      await pass()
    }
    expect(await momentsOf(admin)).toEqual(['begin'])
  })

  //
  test('is told in time although the clock was an hour ahead when it dropped out, and when it was back', async () => {
    const admin = await context.add.admin()
    await linked('Shop')
    /** Looks, by a clock that is an hour ahead, at what has just changed. */
    const lookAhead = async () => {
      await context.moveClock('1 hour')
      await look()
      await context.moveClock('-1 hour')
    }
    await drop()
    await lookAhead()
    await pass()
    expect(await momentsOf(admin)).toEqual(['begin'])
    await recover()
    await lookAhead()
    await calm()
    expect(await momentsOf(admin)).toEqual(['begin', 'end'])
  })

  //
  test('that comes back must be well for longer each time before that is told', async () => {
    const admin = await context.add.admin()
    await linked('Flapping')
    /** Minutes between the return and its notice. */
    const untilOver = async (over: number) => {
      await drop()
      await pass()
      await recover()
      await look()
      let minutes = 0
      for (; (await momentsOf(admin)).filter((moment) => moment === 'end').length < over; minutes++) {
        await context.moveClock('1 minute')
        await look()
      }
      return minutes
    }
    expect([await untilOver(1), await untilOver(2), await untilOver(3)]).toEqual([5, 10, 20])
    expect([await untilOver(4), await untilOver(5), await untilOver(6)]).toEqual([40, 60, 60])
    await context.moveClock('25 hours')
    expect(await untilOver(7)).toBe(5)
  })

  //
  test('is one notice, however many of its jobs stand still, and so are many jobs without another reason', async () => {
    const admin = await context.add.admin()
    const shop = await linked('Shop')
    for (let n = 0; n < 5; n++) await context.add.job({ instanceId: shop.id, status: 'Running' })
    await context.db.run(sql`update jobs set started_at = clock_now() - interval '1 hour'`)
    await context.db.run(sql`update instances set waiting = '{"code": "account_failures", "params": {}}'`)
    await pass()
    await context.moveClock('16 minutes')
    await pass()
    expect(await bellOf(admin)).toEqual(['+account_down Shop'])
    // Nobody knows why they stand still now: no worker runs.
    await context.db.run(sql`update instances set waiting = null`)
    await calm()
    await pass()
    expect(await bellOf(admin)).toEqual([`+job_stuck Shop ${await titleOfFirstJob()}`, '-account_down Shop'])
  })

  //
  test('brings no reminder to users who have read the notice, and reading is told to their other tabs', async () => {
    const [reader, other] = [await context.add.admin(), await context.add.admin()]
    await linked('Shop')
    await drop()
    await pass()
    const { body } = await fetch(`${await listen()}/api/events`, {
      headers: { authorization: `Bearer ${reader.token}` },
    })
    const tab = new Followed(body ?? new ReadableStream())
    const [notice] = await listOf(reader)
    await context.call(reader, notices.read, { body: { ids: [notice?.id ?? 0] } })
    await until('the tab is told', () => tab.changes.some(({ feature }) => feature === 'notices'))
    await context.moveClock('1 hour')
    await pass()
    expect(await momentsOf(reader)).toEqual(['begin'])
    expect(await momentsOf(other)).toEqual(['begin', 'reminder'])
    expect(await listOf(reader)).toMatchObject([{ isRead: true }])
    expect(await listOf(other)).toMatchObject([{ isRead: false }])
  })

  //
  test('at the provider is in the bell and in an email within a minute, and its return after the calm', async () => {
    base = await listen()
    const admin = await context.add.admin()
    const { id, token } = await linked('Shop')
    simulated.change(token, { state: 'AUTH' })
    // Asks for the status of an instance that is being linked, and then sets the webhook.
    await drop('Connecting')
    await context.call(admin, contract.instances.get, { params: { id } })
    const status = () =>
      context.db.one<{ status: string }>(sql`select status from instances where id = ${id}`)
    /** Looks and sends at the worst moments of their intervals. Returns the seconds until the email. */
    const untilMail = async (state: 'AUTH' | 'QR', known: string) => {
      simulated.change(token, { state })
      await until(`the status is ${known}`, async () => (await status()).status === known)
      const mails = mailServer.mails.length
      let seconds = 0
      while (mailServer.mails.length === mails) {
        seconds += LOOK_EVERY_MS / 1000
        await context.moveClock(`${LOOK_EVERY_MS} ms`)
        await look()
        await send()
      }
      return seconds + SEND_EVERY_MS / 1000
    }
    expect(await untilMail('QR', 'NeedsLogin')).toBeLessThan(60)
    expect(await bellOf(admin)).toEqual(['+account_down Shop'])
    expect(await untilMail('AUTH', 'Connected')).toBeLessThan(5 * 60 + 60)
    expect(await bellOf(admin)).toEqual(['-account_down Shop'])
  })
})

type OfApproval =
  | 'approval_waiting'
  | 'approval_overdue'
  | 'approval_given'
  | 'changes_asked'
  | 'approval_overridden'
  | 'series_approval'

/**
 * Brings about a trouble of this kind, and ends it. The instance is `Shop`. Those of an approval are for few of those
 * who see the job: server/test/series-approval.test.ts and the tests of approval. For what concerns one user there are
 * server/test/new-browser.test.ts, sign-in-changed.test.ts and expiring-keys.test.ts.
 */
const kinds: Record<
  Exclude<NoticeKind, OfApproval | 'new_browser' | 'sign_in_changed' | 'key_expiring'>,
  { begin: string | (() => Promise<unknown>); end: string | (() => Promise<unknown>) }
> = {
  account_down: {
    begin: `update instances set waiting = '{"code": "account_failures", "params": {"count": 10}}' where name = 'Shop'`,
    end: 'update instances set waiting = null',
  },
  account_expiring: {
    begin: `update instances set expired_time = clock_now() + interval '6 days' where name = 'Shop'`,
    end: `update instances set expired_time = clock_now() + interval '60 days' where name = 'Shop'`,
  },
  job_failed: {
    begin: `update jobs set status = 'Failed', completed_at = clock_now()`,
    end: `update jobs set status = 'Pending', completed_at = null`,
  },
  job_stuck: {
    begin: `update jobs set status = 'Running', started_at = clock_now() - interval '2 minutes'`,
    end: `update instances set last_intent_at = clock_now(), next_due_at = clock_now() + interval '1 hour'`,
  },
  series_paused: {
    begin: `update series set state = 'paused', paused_reason = '{"code":"account_unpaid","params":{}}'`,
    end: `update series set state = 'active', paused_reason = null`,
  },
  series_missed: {
    begin: `update series_runs set state = 'missed', due_at = clock_now() - interval '3 hours'`,
    end: `update series_runs set state = 'planned';
      insert into series_runs (series_id, local_time, number, due_at, state)
      select id, '2099-01-01T09:00', 9, clock_now() + interval '1 minute', 'made' from series`,
  },
  backup_failed: {
    begin: `insert into backups (started_at, finished_at, error) values (clock_now(), clock_now(), 'full')`,
    end: 'insert into backups (started_at, finished_at) values (clock_now(), clock_now())',
  },
  disk_low: {
    begin: () => saveDisk(context.db, { host: 'host-1', folder: '/data' }, { total: 100e9, free: 4e9 }),
    end: () => saveDisk(context.db, { host: 'host-1', folder: '/data' }, { total: 100e9, free: 7e9 }),
  },
}

//
test.each(Object.entries(kinds))(
  '%s: told to those who may know, as it begins and as it ends',
  async (kind, trouble) => {
    const shop = await linked('Shop')
    await context.add.job({ instanceId: shop.id, textContent: 'Hello', status: 'Cancelled' })
    await context.add.series({ instanceId: shop.id })
    const users = [
      await context.add.admin(),
      await context.add.user({ instances: [shop] }),
      await context.add.user({ instances: [await linked('Other')] }),
      await context.add.admin({ isActive: false }),
    ]
    const cause = (step: typeof trouble.begin) =>
      typeof step === 'string' ? context.db.script(step) : step()
    await cause(trouble.begin)
    await pass()
    if (kind === 'job_stuck') {
      expect(await context.db.many(sql`select from notices`)).toEqual([])
      await context.moveClock('16 minutes')
      await pass()
    }
    await cause(trouble.end)
    await calm()
    const told = await Promise.all(users.map(momentsOf))
    const both = ['begin', 'end']
    const isForAdmins = kind === 'backup_failed' || kind === 'disk_low'
    expect(told).toEqual([both, isForAdmins ? [] : both, [], []])
  },
)

//
test('backups that are killed, or have not succeeded for two days, are a trouble until one succeeds', async () => {
  const admin = await context.add.admin()
  const begin = () => beginBackup(context.db)
  await pass()
  await context.moveClock('3 days')
  await pass()
  expect(await bellOf(admin)).toEqual([]) // nobody makes backups with our command
  await begin() // killed
  await pass()
  await context.moveClock('47 hours')
  await begin() // killed
  await pass()
  expect(await bellOf(admin)).toEqual([])
  await context.moveClock('1 hour')
  await pass()
  expect(await bellOf(admin)).toEqual(['+backup_failed'])
  await endBackup(context.db, await begin(), null)
  await calm()
  expect(await bellOf(admin)).toEqual(['-backup_failed'])
  await context.moveClock('47 hours')
  await begin() // runs, and the last one is not too old
  await pass()
  expect(await bellOf(admin)).toEqual(['-backup_failed'])
  await context.moveClock('1 hour')
  await pass()
  expect(await bellOf(admin)).toEqual(['+backup_failed', '-backup_failed'])
})

//
test('a backup that runs does not end the trouble of the one that failed before', async () => {
  const admin = await context.add.admin()
  await endBackup(context.db, await beginBackup(context.db), 'full')
  await pass()
  await beginBackup(context.db)
  await calm()
  expect(await bellOf(admin)).toEqual(['+backup_failed'])
})

//
test('two data folders of one host are two disks', async () => {
  const admin = await context.add.admin()
  await saveDisk(context.db, { host: 'host-1', folder: '/data' }, { total: 100e9, free: 4e9 })
  await saveDisk(context.db, { host: 'host-1', folder: '/other' }, { total: 100e9, free: 50e9 })
  await pass()
  expect(await bellOf(admin)).toEqual(['+disk_low host-1: /data'])
})

test('a job that is deleted, one that failed long ago, and a disk that hovers at the limit bring no notice', async () => {
  const admin = await context.add.admin()
  const { id } = await context.add.job({ status: 'Failed', completedAt: '2026-01-01T00:00:00.000Z' })
  await pass()
  expect(await momentsOf(admin)).toEqual([])
  await context.db.run(sql`update jobs set completed_at = clock_now() where id = ${id}`)
  await saveDisk(context.db, { host: 'host-1', folder: '/data' }, { total: 100e9, free: 4.9e9 })
  await pass()
  expect(await momentsOf(admin)).toEqual(['begin', 'begin'])
  await saveDisk(context.db, { host: 'host-1', folder: '/data' }, { total: 100e9, free: 5.1e9 })
  await context.db.run(sql`delete from jobs`)
  await pass()
  expect(await momentsOf(admin)).toEqual(['begin', 'begin'])
  expect(await bellOf(admin)).toEqual(['+disk_low host-1: /data'])
})

describe('an email', () => {
  //
  test('is one for 50 instances, in the language of its user, whichever process looks', async () => {
    const [minh, lan] = [
      await context.add.admin({ username: 'minh' }),
      await context.add.user({ username: 'lan' }),
    ]
    await context.call(lan, contract.session.language, { body: { language: 'vi' } })
    for (let n = 1; n <= 50; n++) {
      const instance = await linked(`Shop ${n}\nBcc: x`)
      if (n < 3) await context.db.run(sql`insert into user_instances values (${lan.id}, ${instance.id})`)
    }
    await drop()
    const processes = [1, 2, 3].map((n) =>
      connect(context.database.address, { applicationName: `process ${n}` }),
    )
    await look()
    await context.moveClock('11 seconds')
    await Promise.all(processes.flatMap((db) => [look(db), look(db)]))
    await Promise.all([send(), send(), send()])
    await Promise.all(processes.map((db) => db.end()))
    expect(await momentsOf(minh)).toHaveLength(50)
    expect(mailServer.mails).toHaveLength(2)
    const [first] = mailServer.mails.filter(({ to }) => to === 'minh@example.com')
    expect(first?.subject).toBe('Sendroom: Accounts that can’t send (50)')
    expect(first?.text).toContain(
      '- Shop 50 Bcc: x: The account isn’t linked to WhatsApp. Scan the QR code. (since ',
    )
    expect(first?.text).toContain('Open Sendroom: https://send.example')
    const [second] = mailServer.mails.filter(({ to }) => to === 'lan@example.com')
    expect(second?.subject).toBe('Sendroom: Tài khoản không gửi được (2)')
    expect(second?.text.match(/^- .*$/gm)).toEqual([
      expect.stringMatching(/^- Shop 1 Bcc: x: Tài khoản chưa liên kết với WhatsApp.* \(từ .*\)$/),
      expect.stringContaining('Shop 2'),
    ])
  })

  //
  test('comes once in five minutes at most, with all that came meanwhile', async () => {
    await context.add.admin()
    for (const name of ['Shop 1', 'Shop 2', 'Shop 3']) {
      await linked(name)
      await drop()
      await pass()
    }
    const subjects = () => mailServer.mails.map(({ subject }) => subject)
    expect(subjects()).toEqual(['Sendroom: Accounts that can’t send: Shop 1'])
    await context.moveClock('5 minutes')
    await send()
    expect(subjects().slice(1)).toEqual(['Sendroom: Accounts that can’t send (2)'])
    await context.moveClock('5 minutes')
    await send()
    expect(subjects()).toHaveLength(2)
    expect(await context.db.many(sql`select from due_emails`)).toEqual([])
  })

  //
  test('leaves later when the mail server is down, with what came meanwhile, and without secrets in the log', async () => {
    const admin = await context.add.admin()
    const offline = { url: `smtp://sendroom:${mailPassword}@127.0.0.1:1`, from: 'alerts@example.com' }
    await linked('First')
    await drop()
    await look()
    await context.moveClock('11 seconds')
    await look()
    await send(offline)
    await send(offline) // not due again at once
    expect(logged).toEqual([{ userId: admin.id, tries: 1, why: 'ESOCKET ECONNREFUSED' }])
    await linked('Second')
    await drop()
    await look()
    await context.moveClock('10 minutes')
    await look()
    await send({ ...offline, url: mailServer.url.replace(mailPassword, 'wrong-password') })
    expect(logged[1]).toEqual({ userId: admin.id, tries: 2, why: 'EAUTH 535' })
    await recover()
    await context.moveClock('10 minutes')
    await calm()
    expect(mailServer.mails).toHaveLength(1)
    expect(mailServer.mails[0]?.subject).toBe('Sendroom: Accounts that can send again (2)')
    expect(JSON.stringify(logged)).not.toMatch(/password|secret/)
  })

  //
  test('is given up after a day, and one refused recipient stops no other', async () => {
    const admins = [
      await context.add.admin({ username: 'gone' }),
      await context.add.admin({ username: 'here' }),
    ]
    mailServer.accept = (to) => (to.startsWith('gone') ? new Error('Unknown user') : null)
    await linked('Shop')
    await drop()
    await pass()
    expect(mailServer.mails.map(({ to }) => to)).toEqual(['here@example.com'])
    await context.moveClock('1 day')
    await look()
    mailServer.accept = () => null
    mailServer.mails.length = 0
    // The reminder is news; the beginning, a day ago, is not.
    await send()
    expect(mailServer.mails.map(({ subject }) => subject)).toEqual(
      admins.map(() => 'Sendroom: Still: Accounts that can’t send: Shop'),
    )
    expect(await context.db.many(sql`select from notices where email_due`)).toEqual([])
  })

  //
  test('as a test goes to the user’s own address; a refusal names codes only', async () => {
    const user = await context.add.user({ username: 'lan' })
    expect((await context.call(user, notices.testEmail, {})).status).toBe(204)
    expect(mailServer.mails).toMatchObject([{ to: 'lan@example.com', subject: 'Sendroom: test email' }])
    mailServer.accept = () => new Error(`No: ${mailPassword}`)
    const { status, body } = await context.call(user, notices.testEmail, {})
    expect([status, body.error]).toEqual([502, 'The mail server did not take the email (EENVELOPE 550).'])
  })
})

//
test('users choose what and how; a Member is not offered what only Admins learn', async () => {
  const [admin, shop] = [await context.add.admin(), await linked('Shop')]
  const member = await context.add.user({ instances: [shop] })
  const choose = (user: TestUser, channels: ('bell' | 'email')[]) =>
    context.call(user, notices.choose, { body: { choices: [{ kind: 'account_down', channels }] } })
  expect((await context.call(admin, notices.settings, {})).body.choices).toHaveLength(15)
  expect((await context.call(member, notices.settings, {})).body.choices).toHaveLength(13)
  expect((await choose(admin, ['email'])).body.choices[0]).toEqual({
    kind: 'account_down',
    channels: ['email'],
  })
  await choose(member, ['bell'])
  await drop()
  await pass()
  expect(await bellOf(admin)).toEqual([])
  expect(await bellOf(member)).toEqual(['+account_down Shop'])
  expect(mailServer.mails.map(({ to }) => to)).toEqual([`${admin.username}@example.com`])
  await choose(member, [])
  await recover()
  await calm()
  expect(await momentsOf(member)).toEqual(['begin'])
})

//
test('nobody reads or marks the notices of others, nor those of an instance taken from them', async () => {
  const shop = await linked('Shop')
  const [member, other] = [
    await context.add.user({ instances: [shop] }),
    await context.add.user({ instances: [shop] }),
  ]
  await drop()
  await pass()
  const [{ id } = { id: 0 }] = await listOf(member)
  await context.call(other, notices.read, { body: { ids: [id] } })
  expect(await listOf(member)).toMatchObject([{ id, isRead: false }])
  await context.db.run(sql`delete from user_instances where user_id = ${member.id}`)
  expect(await listOf(member)).toEqual([])
  await recover()
  await calm()
  expect(await momentsOf(member)).toEqual(['begin'])
})

//
test('a trouble that lasts is listed, however many others are over', async () => {
  const admin = await context.add.admin()
  await linked('Shop')
  await drop()
  await pass()
  await context.db.run(sql`
    with over as (
      insert into troubles (kind, job_id, announced_at, ended_at)
      select 'disk_low', 0, clock_now(), clock_now() from generate_series(1, 201) returning id
    )
    insert into notices (user_id, trouble_id, moment, in_bell, email_due)
    select ${admin.id}, id, 'end', true, false from over`)
  const bell = await bellOf(admin)
  expect(bell).toHaveLength(200)
  expect(bell[0]).toBe('+account_down Shop')
})

//
test('notices of troubles that ended 90 days ago are deleted', async () => {
  const admin = await context.add.admin()
  await linked('Shop')
  await drop()
  await pass()
  await recover()
  await calm()
  await context.moveClock('89 days')
  await deleteOldNotices(context.db)
  expect(await bellOf(admin)).toHaveLength(1)
  await context.moveClock('2 days')
  await deleteOldNotices(context.db)
  expect(await context.db.many(sql`select from troubles full join notices on true`)).toEqual([])
})

// R-1401
test('an approver is told of each request, the author of each answer, and nobody of an old answer', async () => {
  const shop = await context.add.instance({ name: 'Shop', approval: 'always' })
  const author = await context.add.user({ instances: [shop] })
  const approver = await context.add.user({ instances: [shop], canApproveJobs: true })
  const [admin, other] = [await context.add.admin(), await context.add.user({ instances: [shop] })]
  const { id } = await context.add.job({
    ...{ instanceId: shop.id, createdByUserId: author.id, scheduledAt: '2099-01-01T00:00:00Z' },
    messageId: (await context.add.message({ instanceId: shop.id })).id,
  })
  const body = async (words?: string) => {
    const { version } = (await context.call(admin, jobs.get, { params: { id } })).body
    return { params: { id }, body: { version, ...(words && { words }) } as never }
  }
  const begun = async (user: TestUser) =>
    (
      await context.db.many<{ kind: string }>(sql`
        select t.kind from notices n join troubles t on t.id = n.trouble_id
        where n.user_id = ${user.id} and n.moment = 'begin' order by n.id`)
    ).map(({ kind }) => kind)
  const edit = (scheduledAt: string) =>
    context.call(author, jobs.change, { params: { id }, body: { scheduledAt } })

  // Its recipients were added later.
  await context.db.run(sql`update jobs set version = version + 1 where id = ${id}`)
  await pass()
  for (const time of ['2099-01-02T00:00:00Z', '2099-01-03T00:00:00Z']) {
    await context.call(approver, jobs.askChanges, await body('Shorter'))
    await pass()
    await edit(time)
    await pass()
  }
  const asked = ['approval_waiting', 'approval_waiting', 'approval_waiting']
  expect(await begun(approver)).toEqual(asked)
  expect(await begun(author)).toEqual(['changes_asked', 'changes_asked'])

  await context.call(approver, jobs.approve, await body())
  await pass()
  await edit('2099-01-04T00:00:00Z')
  await pass()
  await context.call(admin, jobs.override, await body('Flood'))
  await pass()
  await edit(new Date(Date.now() + 3600_000).toISOString())
  await context.moveClock('2 hours')
  await markOverdue(context.db)
  await pass()
  const toApprovers = [...asked, 'approval_waiting', 'approval_overridden', 'approval_overdue']
  expect([await begun(approver), await begun(admin)]).toEqual([toApprovers, toApprovers])
  expect(await begun(author)).toEqual([
    'changes_asked',
    'changes_asked',
    'approval_given',
    'approval_overdue',
  ])
  expect(await begun(other)).toEqual([])
})
