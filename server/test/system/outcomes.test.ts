import { join } from 'node:path'
import { contract } from '@sendroom/contract'
import {
  type FaultRule,
  groupNames,
  type Simulator,
  specialGroups,
  startSimulator,
} from '@sendroom/simulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, type Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { HttpClient } from '../http-client.ts'
import type { Installation } from '../process.ts'
import { readyInstallation } from '../ready-installation.ts'
import { until } from '../until.ts'
import { addInstance, allSent, createJob, phoneNumbers, readJob, syncGroups, untilEnded } from './scenario.ts'

let home: Installation
let simulator: Simulator
let url: string
let firstAdmin: HttpClient
let db: Pool

beforeAll(async () => {
  home = await readyInstallation()
  simulator = await startSimulator({ file: join(home.dataDir, 'provider.jsonl') })
  db = connect(home.database, { max: 1, applicationName: 'sendroom test' })
  const sendroom = await home.start([], { TEST_PROVIDER_URL: simulator.url })
  url = sendroom.url
  firstAdmin = await home.signIn(sendroom)
}, 60_000)
afterAll(async () => {
  await db.end()
  await home[Symbol.asyncDispose]()
  await simulator.close()
})

const [number = ''] = phoneNumbers(1)
const helloTo = (phoneNumbers: string) => ({ text: 'Hello', jobType: 'SendToUsers', phoneNumbers }) as const

/** Adds an Admin. Each test has its own, because the tests together ask more often than one user may. */
async function addAdmin(username: string): Promise<HttpClient> {
  const credentials = { username, password: 'secret-1' }
  const email = `${username}@example.com`
  await firstAdmin.ask(contract.users.create, { body: { ...credentials, email, role: 'Admin' } })
  const { token } = await firstAdmin.ask(contract.session.login, { body: credentials })
  return new HttpClient(url, token)
}

/** Adds an instance with this token, and an Admin. */
async function instance(token: string) {
  const admin = await addAdmin(token)
  const instanceId = await addInstance(admin, token)
  return {
    untilEnd: (id: number, withinMs: number) => untilEnded(admin, id, withinMs),
    untilWaits: (id: number, code: string) =>
      until(`job ${id} waits: ${code}`, async () => (await readJob(admin, id)).waiting?.code === code),
    read: (id: number) => readJob(admin, id),
    create: (job: Omit<Parameters<typeof createJob>[1], 'instanceId'>) =>
      createJob(admin, { instanceId, ...job }),
    addFault: (fault: FaultRule) =>
      simulator.faults.add({ path: '^/messages/(text|image)', ...fault, token }),
    change: (change: Parameters<Simulator['channels']['change']>[1]) =>
      simulator.channels.change(simulator.channels.create(token), change),
    ledger: () => simulator.ledger.list(token),
    groups: () => syncGroups(admin, instanceId),
  }
}

const logText = (rows: { message: string }[]) => rows.map((row) => row.message).join('\n')

// How each answer of the provider is read: providers/whapi.contract.test.ts and whapi-lost.test.ts.
describe.concurrent('the job page explains each outcome', { timeout: 150_000 }, () => {
  test('unknown, not found: the message is sent again, once', async () => {
    const { create, addFault, ledger, untilWaits, untilEnd } = await instance('test_linked_lost')
    addFault({ kind: 'drop-before', times: 1 })
    const id = await create(helloTo(number))
    await untilWaits(id, 'checking_outcome')
    // Half a minute later, an empty chat is believed.
    await db.run(sql`
      update deliveries set intent_at = intent_at - interval '40 seconds', next_look_at = clock_now()
      where job_id = ${id}`)
    const job = await untilEnd(id, 120_000)
    expect(job).toMatchObject({ status: 'Completed', recipients: allSent(1) })
    expect(logText(job.logs)).toContain('unknown whether the message went out.')
    expect(logText(job.logs)).toContain('not sent; trying again.')
    expect(ledger()).toHaveLength(1)
  })

  test('account: the job says why it waits, and goes on by itself', async () => {
    const { create, change, ledger, untilWaits, untilEnd, read } = await instance('test_linked_account')
    change({ state: 'QR' })
    const id = await create(helloTo(phoneNumbers(3).join(',')))
    await untilWaits(id, 'account_not_linked')
    // The trouble may be known before the job is due. The job still becomes Running.
    await until('the job runs', async () => (await read(id)).status === 'Running')
    expect(await read(id)).toMatchObject({ recipients: { waiting: 3, failed: 0 } })
    change({ state: 'AUTH' })
    const job = await untilEnd(id, 120_000)
    expect(job).toMatchObject({ status: 'Completed', recipients: allSent(3), waiting: null })
    expect(logText(job.logs)).toContain('The account is waiting:')
    expect(ledger()).toHaveLength(3)
  })

  test('unknown, but found: the message is not sent again', async () => {
    const { create, addFault, ledger, untilEnd } = await instance('test_linked_taken')
    addFault({ kind: 'malformed', times: 1 })
    const id = await create(helloTo(number))
    const job = await untilEnd(id, 120_000)
    expect(job).toMatchObject({
      ...{ status: 'Completed', recipients: allSent(1) },
      sentMessages: [{ status: 'Sent', errorMessage: null }],
    })
    expect(logText(job.logs)).toContain('the message went out.')
    expect(ledger()).toHaveLength(1)
  })

  test('sent', async () => {
    const { create, ledger, untilEnd } = await instance('test_linked_sent')
    const job = await untilEnd(await create({ ...helloTo(number), withImage: true }), 60_000)
    expect(job).toMatchObject({
      ...{ status: 'Completed', progress: 100, totalSentMessages: 1, recipients: allSent(1), waiting: null },
      sentMessages: [{ status: 'Sent', errorMessage: null, sentAt: expect.any(String) }],
    })
    expect(logText(job.logs)).toContain('Completed: 1 sent, 0 failed.')
    expect(ledger()).toMatchObject([{ to: `${number}@s.whatsapp.net`, caption: 'Hello', type: 'image' }])
  })

  // R-1131 R-1192 R-1194
  test('answered: whoever has opted out gets no second message, also under a hidden number', async () => {
    const token = 'test_linked_answers'
    const { create, untilEnd } = await instance(token)
    // A quoted message names its recipient once it is saved as sent.
    simulator.receipts.change(token, { answerMs: 1000 })
    // By their habits: an opt-out, two of hidden numbers, thanks, and one who can't be written to first.
    const optedOut = ['84901255501', '84901255506', '84901255507']
    const everybody = [...optedOut, '84901255504', '84901255509'].join(',')

    const first = await untilEnd(await create(helloTo(everybody)), 60_000)
    expect(first.recipients).toMatchObject({ sent: 4, failed: 1 })
    expect(logText(first.logs)).toContain('WhatsApp does not let you write to this person first.')
    await until('the opt-outs hold', async () => {
      const known = await db.many(sql`
        select from opted_out where kind = 'phone' and value = any(${optedOut}::text[])`)
      return known.length === optedOut.length
    })

    const second = await untilEnd(await create(helloTo(everybody)), 60_000)
    expect(second.recipients).toMatchObject({ sent: 1, skipped: 3, failed: 1 })
  })

  test('rejected: each recipient has its own reason, and the others get their message', async () => {
    const { create, addFault, ledger, untilEnd } = await instance('test_linked_rejected')
    const [fine = '', large = '', media = '', no = ''] = phoneNumbers(4)
    const unknown = '84901110000'
    addFault({ kind: 'status', status: 413, to: large })
    addFault({ kind: 'status', status: 415, to: media })
    addFault({ kind: 'not-sent', to: no })
    const id = await create(helloTo([large, media, unknown, no, fine].join(',')))
    const job = await untilEnd(id, 60_000)
    expect(job).toMatchObject({
      status: 'Completed',
      recipients: { total: 5, sent: 1, failed: 4 },
      progress: 20,
    })
    const errors = Object.fromEntries(
      job.sentMessages.map(({ recipientId, errorMessage }) => [recipientId.split('@')[0], errorMessage]),
    )
    expect(errors).toEqual({
      [large]: 'The message or the image is too large for WhatsApp.',
      [media]: 'WhatsApp refused this image or file.',
      [unknown]: 'This number is not on WhatsApp.',
      [no]: 'WhatsApp refused the message: sent: false',
      [fine]: null,
    })
    expect(ledger()).toHaveLength(1)
  })

  test('rejected by a group that only admins may write to: the job fails, because nobody got the message', async () => {
    const token = 'test_linked_odd_closed'
    const { create, groups, ledger, untilEnd } = await instance(token)
    const closed = specialGroups(token).announcementsOnly // this group has the first of groupNames
    const { id: groupId = 0 } = (await groups()).find(({ name }) => name === groupNames[0]) ?? {}
    const id = await create({ text: 'Hello', groupIds: [groupId] })
    const job = await untilEnd(id, 60_000)
    expect(job).toMatchObject({
      ...{ status: 'Failed', recipients: { total: 1, sent: 0, failed: 1 } },
      sentMessages: [
        {
          status: 'Failed',
          recipientId: closed,
          errorMessage: 'The account isn’t allowed to write to this recipient.',
        },
      ],
    })
    expect(logText(job.logs)).toContain('Failed: no message went out.')
    expect(ledger()).toHaveLength(0)
  })

  test('busy: the message is sent when the provider allows it, and nobody gets it twice', async () => {
    const { create, addFault, ledger, untilWaits, untilEnd } = await instance('test_linked_busy')
    addFault({ kind: 'status', status: 429, retryAfter: 3, times: 1 })
    const id = await create(helloTo(phoneNumbers(3).join(',')))
    await untilWaits(id, 'provider_busy')
    const job = await untilEnd(id, 60_000)
    expect(job).toMatchObject({ status: 'Completed', recipients: allSent(3) })
    expect(logText(job.logs)).toContain('not sent yet; trying again.')
    expect(ledger()).toHaveLength(3)
  })
})
