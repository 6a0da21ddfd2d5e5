import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { ProviderFailure, type ProviderGroup } from '../../providers/provider.ts'
import { openHeartbeat } from '../history/heartbeat.ts'
import { cancelJob, deleteJobs, restartJob, retryFailed } from '../index.ts'
import { deleteOldRows } from '../retention/delete-old.ts'

const context = useEngineContext()
const silent = { info() {}, warn() {}, error() {} }

const member = (personId: string) => ({ personId, rank: 'member' as const })
const shop: ProviderGroup = {
  chatId: '1@g.us',
  name: 'Shop',
  participants: [member('84912345678'), member('84912345679'), member('123456789@lid')],
  participantCount: 3,
  isAdminsOnly: false,
}

/** A provider whose groups have two members with a number and one without. */
function providerOfGroups(read: (chatId: string) => ProviderGroup = (chatId) => ({ ...shop, chatId })) {
  const scripted = scriptedProvider()
  const reads: string[] = []
  scripted.provider.group = async (_credentials, chatId) => {
    reads.push(chatId)
    return read(chatId)
  }
  const mentions = () => scripted.calls.sends.map(({ to, mentions }) => [to, mentions ?? []])
  return { ...scripted, reads, mentions }
}

const mentioning = (more: object = {}) =>
  context.add.job({ recipients: ['1@g.us', '2@g.us'], mentionsAll: true, ...more })
const both = ['84912345678', '84912345679']

// R-1620
test('the members are read right before each message, and those with a number are mentioned', async () => {
  const { provider, reads, mentions } = providerOfGroups()
  const job = await mentioning()
  context.worker(provider)

  await context.untilStatus(job.id, 'Completed')

  expect(reads).toEqual(['1@g.us', '2@g.us'])
  expect(mentions()).toEqual([
    ['1@g.us', both],
    ['2@g.us', both],
  ])
  expect(await context.db.many(sql`select members, reached, is_sent from delivery_mentions`)).toEqual([
    { members: 3, reached: 2, isSent: true },
    { members: 3, reached: 2, isSent: true },
  ])
})

// R-1621
test('an account mentions a group once a day: a second message goes out without, and so does a restart', async () => {
  const { provider, mentions } = providerOfGroups()
  const { id: instanceId } = await context.add.instance({ timeZone: 'Asia/Ho_Chi_Minh' })
  const first = await mentioning({ recipients: ['1@g.us'], instanceId })
  context.worker(provider)
  await context.untilStatus(first.id, 'Completed')

  const second = await mentioning({ instanceId })
  await context.untilStatus(second.id, 'Completed')
  expect(mentions()).toEqual([
    ['1@g.us', both],
    ['1@g.us', []],
    ['2@g.us', both],
  ])
  await context.db.begin((tx) => restartJob(tx, first.id, 'Ann'))
  await context.untilStatus(first.id, 'Completed')
  expect(mentions().at(-1)).toEqual(['1@g.us', []])

  await context.moveClock('1 day')
  await context.db.begin((tx) => restartJob(tx, first.id, 'Ann'))
  await context.untilStatus(first.id, 'Completed')
  expect(mentions().at(-1)).toEqual(['1@g.us', both])
})

// R-1664
test('a message that the provider has refused takes the mentions of the day from no other', async () => {
  const { provider, script, accept, mentions } = providerOfGroups()
  let isClosed = true
  script.onSend = (send) =>
    isClosed ? { kind: 'rejected', reason: { code: 'not_allowed', params: {} } } : accept(send)
  const { id: instanceId } = await context.add.instance()
  const refused = await mentioning({ instanceId, recipients: ['1@g.us'] })
  context.worker(provider)
  await context.untilStatus(refused.id, 'Failed')
  isClosed = false

  const next = await mentioning({ instanceId, recipients: ['1@g.us'] })
  await context.untilStatus(next.id, 'Completed')
  await context.db.begin((tx) => retryFailed(tx, refused.id, 'Ann', { includeUnknown: false }))
  await context.untilStatus(refused.id, 'Completed')

  expect(mentions()).toEqual([
    ['1@g.us', both],
    ['1@g.us', both],
    ['1@g.us', []],
  ])
})

// R-2234
test.each([
  ['restarted', (id: number) => context.db.begin((tx) => restartJob(tx, id, 'Ann'))],
  ['deleted', (id: number) => deleteJobs(context.db, [id], 'Ann', async () => {})],
])(
  'the next message of the day has the mentions of one that was refused, also if its job is %s',
  async (what, act) => {
    const { provider, script, accept, mentions } = providerOfGroups()
    let isClosed = true
    script.onSend = (send) =>
      isClosed ? { kind: 'rejected', reason: { code: 'not_allowed', params: {} } } : accept(send)
    const refused = await mentioning({ recipients: ['1@g.us'] })
    context.worker(provider)
    await context.untilStatus(refused.id, 'Failed')
    isClosed = false

    await act(refused.id)
    const { instanceId } = refused
    const next = what === 'deleted' ? await mentioning({ instanceId, recipients: ['1@g.us'] }) : refused
    await context.untilStatus(next.id, 'Completed')

    expect(mentions()).toEqual([
      ['1@g.us', both],
      ['1@g.us', both],
    ])
  },
)

// R-2235
test('a message that could mention nobody leaves the mentions to the next one of the day', async () => {
  let isReadable = false
  const { provider, mentions } = providerOfGroups((chatId) => {
    if (isReadable) return { ...shop, chatId }
    throw new ProviderFailure('refused', { code: 'refused', params: { detail: 'no' } })
  })
  const first = await mentioning({ recipients: ['1@g.us'] })
  context.worker(provider)
  await context.untilStatus(first.id, 'Completed')
  isReadable = true

  const next = await mentioning({ instanceId: first.instanceId, recipients: ['1@g.us'] })
  await context.untilStatus(next.id, 'Completed')

  expect(mentions()).toEqual([
    ['1@g.us', []],
    ['1@g.us', both],
  ])
})

// R-1652
test('the page does not say that a run has mentioned the members whom a former run has', async () => {
  const { provider, mentions } = providerOfGroups()
  const job = await mentioning({ recipients: ['1@g.us'] })
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')

  await context.db.begin((tx) => restartJob(tx, job.id, 'Ann'))
  await context.untilStatus(job.id, 'Completed')

  expect(mentions()).toEqual([
    ['1@g.us', both],
    ['1@g.us', []],
  ])
  expect(await context.db.many(sql`select is_sent from delivery_mentions`)).toEqual([{ isSent: false }])
})

// R-1653
test('a message that the database has lost has mentioned its group on its day', async () => {
  const { provider, accept, mentions } = providerOfGroups()
  await openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }).beat()
  const { id: instanceId } = await context.add.instance({ checkedEra: null })
  const lost = await mentioning({
    instanceId,
    status: 'Running',
    recipients: ['1@g.us'],
    textContent: 'Lost',
  })
  await context.db.run(sql`update jobs set created_at = clock_now() - interval '1 minute'`)
  accept({ token: 'any', to: '1@g.us', text: 'Lost', mediaId: null })
  context.worker(provider)
  await context.untilStatus(lost.id, 'Completed')

  const next = await mentioning({ instanceId })
  await context.untilStatus(next.id, 'Completed')

  expect(mentions()).toEqual([
    ['1@g.us', []],
    ['2@g.us', both],
  ])
})

// R-1621
test('a message that was not sent keeps its mentions for the next attempt', async () => {
  const { provider, script, accept, mentions } = providerOfGroups()
  let isBusy = true
  script.onSend = (send) => {
    if (!isBusy) return accept(send)
    isBusy = false
    return { kind: 'busy', reason: { code: 'provider_busy', params: {} }, retryAfterMs: 0 }
  }
  const job = await mentioning({ recipients: ['1@g.us'] })
  context.worker(provider)
  await until('the provider was busy', () => !isBusy)

  await context.moveClock('1 minute')
  await context.untilStatus(job.id, 'Completed')

  expect(mentions()).toEqual([
    ['1@g.us', both],
    ['1@g.us', both],
  ])
})

// R-1620
test('while the members can’t be read the account waits, and the log says why', async () => {
  let isDown = true
  const { provider, calls, mentions } = providerOfGroups((chatId) => {
    if (isDown) throw new ProviderFailure('unreachable', { code: 'provider_unreachable', params: {} })
    return { ...shop, chatId }
  })
  const job = await mentioning({ recipients: ['1@g.us'] })
  context.worker(provider)

  await until('the failed reading is logged', async () =>
    (await context.log(job.id)).includes('members_read_failed'),
  )
  expect(calls.sends).toEqual([])
  isDown = false
  await context.moveClock('5 minutes')
  await context.untilStatus(job.id, 'Completed')

  expect(mentions()).toEqual([['1@g.us', both]])
})

// R-1656
test('a group whose members the provider can’t read keeps no other group waiting', async () => {
  let isBroken = true
  const { provider, mentions } = providerOfGroups((chatId) => {
    if (isBroken && chatId === '1@g.us')
      throw new ProviderFailure('unreachable', { code: 'provider_error', params: { status: 500 } })
    return { ...shop, chatId }
  })
  const job = await mentioning()
  context.worker(provider)
  await until('the failed reading is logged', async () =>
    (await context.log(job.id)).includes('members_read_failed'),
  )
  await context.moveClock('30 seconds')
  await context.untilStatuses(job.id, 'queued', 'sent')

  isBroken = false
  await context.moveClock('5 minutes')
  await context.untilStatus(job.id, 'Completed')

  expect(mentions()).toEqual([
    ['2@g.us', both],
    ['1@g.us', both],
  ])
})

// R-1774
test('a group whose members can’t be read for half an hour gets the message without mentions', async () => {
  const { provider, reads, mentions } = providerOfGroups(() => {
    throw new ProviderFailure('unreachable', { code: 'provider_error', params: { status: 500 } })
  })
  const job = await mentioning({ recipients: ['1@g.us'] })
  context.worker(provider, { log: silent })
  const reasonOf = async () => {
    const { reason } = await context.db.one<{
      reason: { code: string; params: { tries: number } } | null
    }>(sql`
      select reason from deliveries where job_id = ${job.id}`)
    return reason
  }
  await until('the reading has failed', async () => (await reasonOf())?.code === 'members_read_failed')
  expect(await reasonOf()).toMatchObject({ params: { why: 'provider_error', status: 500, tries: 1 } })
  expect(mentions()).toEqual([])

  await context.db.run(sql`
    update deliveries set reason = jsonb_set(reason, '{params,tries}', '28') where job_id = ${job.id}`)
  await context.moveClock('90 seconds')
  await until('the reading has failed again', async () => (await reasonOf())?.params.tries === 29)
  await context.moveClock('90 seconds')
  await context.untilStatus(job.id, 'Completed')

  expect(mentions()).toEqual([['1@g.us', []]])
  expect(reads.length).toBe(3)
})

// R-1656
test('nobody is passed over if a job is restarted while the members of a group can’t be read', async () => {
  const { promise: answer, reject: fail } = Promise.withResolvers<ProviderGroup>()
  const { provider, reads, mentions } = providerOfGroups()
  const { group } = provider
  provider.group = (credentials, chatId) => {
    const read = group(credentials, chatId)
    return chatId === '2@g.us' && reads.length === 2 ? answer : read
  }
  const job = await mentioning()
  context.worker(provider)
  await until('the second group is read', () => reads.includes('2@g.us'))

  await context.db.begin((tx) => cancelJob(tx, job.id, 'Ann'))
  await context.db.begin((tx) => restartJob(tx, job.id, 'Ann'))
  fail(new ProviderFailure('unreachable', { code: 'provider_unreachable', params: {} }))
  await until('the failed reading is logged', async () =>
    (await context.log(job.id)).includes('members_read_failed'),
  )
  await context.moveClock('2 minutes')
  await context.untilStatus(job.id, 'Completed')

  expect(
    mentions()
      .map(([to]) => to)
      .toSorted(),
  ).toEqual(['1@g.us', '1@g.us', '2@g.us'])
})

// R-1622
test('the numbers of those who were mentioned are forgotten within an hour, and all goes with the job', async () => {
  const { provider } = providerOfGroups()
  const job = await mentioning()
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')

  await context.moveClock('2 hours')
  await deleteOldRows(context.db, AbortSignal.timeout(60_000))

  expect(await context.db.many(sql`select distinct phones, reached from delivery_mentions`)).toEqual([
    { phones: [], reached: 2 },
  ])
  await context.db.run(sql`delete from jobs where id = ${job.id}`)
  expect(await context.db.many(sql`select from delivery_mentions`)).toEqual([])
})

test('a job to people, and one that mentions nobody, read no members', async () => {
  const { provider, reads } = providerOfGroups()
  const job = await context.add.job({ recipients: ['1@g.us'] })
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')
  expect(reads).toEqual([])
})

// R-1620
test.each([
  ['refused', 'refused'],
  ['not_found', 'chat_not_found'],
] as const)(
  'a group that can’t be read for good (%s) gets its message without mentions',
  async (kind, code) => {
    const { provider, mentions } = providerOfGroups((chatId) => {
      if (chatId === '1@g.us') throw new ProviderFailure(kind, { code, params: {} })
      return { ...shop, chatId }
    })
    const job = await mentioning()
    context.worker(provider)
    await context.untilStatus(job.id, 'Completed')
    expect(mentions()).toEqual([
      ['1@g.us', []],
      ['2@g.us', both],
    ])
  },
)

// R-1620
test('an account that was unlinked says so while the members are read', async () => {
  const { provider } = providerOfGroups(() => {
    throw new ProviderFailure('account', { code: 'account_not_linked', params: {} }, { status: 'NeedsLogin' })
  })
  const job = await mentioning()
  context.worker(provider)
  await context.untilWaiting(job.id, 'account_not_linked')
})
