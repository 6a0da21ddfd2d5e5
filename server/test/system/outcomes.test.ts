import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../simulator/src/faults.ts'
import { type Simulator, specialGroups, startSimulator } from '../../../simulator/src/index.ts'
import { groupNames } from '../../../simulator/src/names.ts'
import type { HttpClient } from '../http-client.ts'
import { Installation } from '../process.ts'
import { until } from '../until.ts'
import { addAccount, allSent, endedJob, orderJob, phoneNumbers, readJob, syncGroups } from './story.ts'

let home: Installation
let simulator: Simulator
let admin: HttpClient
const journal = () => join(home.dataDir, 'provider.jsonl')

beforeAll(async () => {
  home = await Installation.create()
  simulator = await startSimulator({ file: journal() })
  admin = await home.signIn(await home.start([], { TEST_PROVIDER_URL: simulator.url }))
}, 60_000)
afterAll(async () => {
  await home[Symbol.asyncDispose]()
  await simulator.close()
})

const [number = ''] = phoneNumbers(1)
const textTo = (phoneNumbers: string) => ({ text: 'Hello', jobType: 'SendToUsers', phoneNumbers }) as const

/** An account of its own for each test, and a job of it. */
async function account(token: string) {
  const instanceId = await addAccount(admin, token)
  return {
    order: (job: Omit<Parameters<typeof orderJob>[1], 'instanceId'>) =>
      orderJob(admin, { instanceId, ...job }),
    fails: (fault: FaultRule) => simulator.faults.add({ path: '^/messages/(text|image)', ...fault, token }),
    changes: (change: Parameters<Simulator['channels']['change']>[1]) =>
      simulator.channels.change(simulator.channels.create(token), change),
    ledger: () => simulator.ledger.list(token),
    groups: () => syncGroups(admin, instanceId),
  }
}

const waitingOf = async (id: number) => (await readJob(admin, id)).waiting?.code
const waits = (id: number, code: string) =>
  until(`it waits: ${code}`, async () => (await waitingOf(id)) === code)
const words = (rows: { message: string }[]) => rows.map((row) => row.message).join('\n')

describe.concurrent('what the provider answers, in the words of the job’s page', { timeout: 150_000 }, () => {
  const lost = [
    ['an error of the provider', { kind: 'status', status: 500 }],
    ['a connection that ends before the message is taken', { kind: 'drop-before' }],
  ] as const
  test.each(lost)('unknown, not found: %s; it is sent again, once', async (_name, fault) => {
    const { order, fails, ledger } = await account(`test_linked_lost_${fault.kind}`)
    fails({ ...fault, times: 1 })
    const id = await order(textTo(number))
    await waits(id, 'checking_outcome')
    const job = await endedJob(admin, id, 120_000)
    expect(job).toMatchObject({ status: 'Completed', recipients: allSent(1) })
    expect(words(job.logs)).toContain('it is not known yet whether the message went out.')
    expect(words(job.logs)).toContain('the message had not gone out; it is sent again.')
    expect(ledger()).toHaveLength(1)
  })

  const troubles = [
    ['account_not_linked', { state: 'QR' }, { state: 'AUTH' }],
    ['account_unpaid', { unpaid: true }, { unpaid: false }],
    ['account_bad_token', { removed: true }, { removed: false }],
  ] as const
  test.each(troubles)('account: %s; the job says so, and goes on by itself', async (code, trouble, cure) => {
    const { order, changes, ledger } = await account(`test_linked_${code}`)
    changes(trouble)
    const id = await order(textTo(phoneNumbers(3).join(',')))
    await waits(id, code)
    // The trouble may be known before the job begins: it runs, and waits, all the same.
    await until('it runs', async () => (await readJob(admin, id)).status === 'Running')
    expect(await readJob(admin, id)).toMatchObject({ recipients: { waiting: 3, failed: 0 } })
    changes(cure)
    const job = await endedJob(admin, id, 120_000)
    expect(job).toMatchObject({ status: 'Completed', recipients: allSent(3), waiting: null })
    expect(words(job.logs)).toContain('The account waits:')
    expect(ledger()).toHaveLength(3)
  })

  const taken = ['accept-then-drop', 'malformed', 'no-id', 'empty'] as const
  test.each(taken)('unknown, but found: %s; it is not sent again', async (kind) => {
    const { order, fails, ledger } = await account(`test_linked_taken_${kind}`)
    fails({ kind, times: 1 })
    const id = await order(textTo(number))
    const job = await endedJob(admin, id, 120_000)
    expect(job).toMatchObject({
      ...{ status: 'Completed', recipients: allSent(1) },
      sentMessages: [{ status: 'Sent', errorMessage: null }],
    })
    expect(words(job.logs)).toContain('the message had gone out.')
    expect(ledger()).toHaveLength(1)
  })

  test('sent', async () => {
    const { order, ledger } = await account('test_linked_sent')
    const job = await endedJob(admin, await order({ ...textTo(number), withImage: true }), 60_000)
    expect(job).toMatchObject({
      ...{ status: 'Completed', progress: 100, totalSentMessages: 1, recipients: allSent(1), waiting: null },
      sentMessages: [{ status: 'Sent', errorMessage: null, sentAt: expect.any(String) }],
    })
    expect(words(job.logs)).toContain('Completed: 1 sent, 0 failed.')
    expect(ledger()).toMatchObject([{ to: `${number}@s.whatsapp.net`, caption: 'Hello', type: 'image' }])
  })

  test('rejected: each recipient with its own reason, and the others get their message', async () => {
    const { order, fails, ledger } = await account('test_linked_rejected')
    const [fine = '', large = '', media = '', no = ''] = phoneNumbers(4)
    const unknown = '84901110000'
    fails({ kind: 'status', status: 413, to: large })
    fails({ kind: 'status', status: 415, to: media })
    fails({ kind: 'not-sent', to: no })
    const id = await order(textTo([large, media, unknown, no, fine].join(',')))
    const job = await endedJob(admin, id, 60_000)
    expect(job).toMatchObject({
      status: 'Completed',
      recipients: { total: 5, sent: 1, failed: 4 },
      progress: 20,
    })
    const errors = Object.fromEntries(
      job.sentMessages.map(({ recipientId, errorMessage }) => [recipientId.split('@')[0], errorMessage]),
    )
    expect(errors).toEqual({
      [large]: 'The message or its image is too large for WhatsApp.',
      [media]: 'WhatsApp does not accept this image.',
      [unknown]: 'This number is not on WhatsApp.',
      [no]: 'WhatsApp refused the message: sent: false',
      [fine]: null,
    })
    expect(ledger()).toHaveLength(1)
  })

  test('rejected by a group that only its admins may write to: the job fails, for nobody got it', async () => {
    const token = 'test_linked_closed'
    const { order, groups, ledger } = await account(token)
    const closed = specialGroups(token).announcementsOnly // the first of the channel's
    const { id: groupId = 0 } = (await groups()).find(({ name }) => name === groupNames[0]) ?? {}
    const id = await order({ text: 'Hello', groupIds: [groupId] })
    const job = await endedJob(admin, id, 60_000)
    expect(job).toMatchObject({
      ...{ status: 'Failed', recipients: { total: 1, sent: 0, failed: 1 } },
      sentMessages: [
        {
          status: 'Failed',
          recipientId: closed,
          errorMessage: 'The account may not write to this recipient.',
        },
      ],
    })
    expect(words(job.logs)).toContain('Failed: no message could be sent.')
    expect(ledger()).toHaveLength(0)
  })

  test('busy: it comes back when the provider said, and nobody gets it twice', async () => {
    const { order, fails, ledger } = await account('test_linked_busy')
    fails({ kind: 'status', status: 429, retryAfter: 2, times: 2 })
    const id = await order(textTo(phoneNumbers(3).join(',')))
    await waits(id, 'provider_busy')
    const job = await endedJob(admin, id, 60_000)
    expect(job).toMatchObject({ status: 'Completed', recipients: allSent(3) })
    expect(words(job.logs)).toContain('not sent yet, we try again.')
    expect(ledger()).toHaveLength(3)
  })
})

test('busy: nobody listens at the provider’s address; it goes on when somebody does', {
  timeout: 120_000,
}, async () => {
  const { order, ledger } = await account('test_linked_refused')
  const port = Number(new URL(simulator.url).port)
  await simulator.close()
  const id = await order(textTo(number))
  await waits(id, 'provider_busy')
  simulator = await startSimulator({ file: journal(), port })
  const job = await endedJob(admin, id, 90_000)
  expect(job).toMatchObject({ status: 'Completed', recipients: allSent(1) })
  expect(ledger()).toHaveLength(1)
})
