import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { people, useEngineContext } from '../../../test/engine-context.ts'
import { countWaiting } from '../../../test/locks.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import type { Db } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import {
  cancelJob,
  finishJobs,
  planJob,
  recipientCounts,
  restartJob,
  retryFailed,
  skipOptedOut,
  whyWaiting,
} from '../index.ts'
import { skipUnreachable } from '../shared/opt-out.ts'
import { writeIntents } from './intent.ts'

const context = useEngineContext()

const onlyKnown = { includeUnknown: false }

/** Opts the people of these chats out of all accounts, or of one. */
const optOut = (db: Db, chats: string[], instanceId: number | null = null) =>
  db.run(sql`
    with begun as (
      insert into opt_outs (is_for_all, source, said_at) values (true, 'form', clock_now()) returning id
    )
    insert into opted_out (kind, value, instance_id, opt_out_id)
    select 'phone', split_part(chat, '@', 1), ${instanceId}, begun.id from begun, unnest(${chats}::text[]) chat`)

const optIn = () => context.db.run(sql`delete from opt_outs`)
afterEach(optIn)

const jobToPeople = (count: number, columns: object = {}) =>
  context.add.job({ jobType: 'SendToUsers', recipients: people(count), ...columns })

const reasons = async (jobId: number) =>
  (await context.deliveries(jobId)).map(({ status, reason }) =>
    [status, reason?.code ?? null].join(' ').trim(),
  )

// R-1101
test('whoever opts out before their turn is skipped with the reason, and nobody else', async () => {
  const { provider, ledger } = scriptedProvider()
  const [first, second, third] = people(3)
  const job = await jobToPeople(3)
  await optOut(context.db, [second ?? ''])
  context.worker(provider)

  await context.untilStatus(job.id, 'Completed')

  expect(ledger.map(({ to }) => to)).toEqual([first, third])
  expect(await reasons(job.id)).toEqual(['sent', 'skipped opted_out', 'sent'])
  expect(await recipientCounts(context.db, job.id)).toMatchObject({
    sent: 2,
    skipped: 1,
    failed: 0,
    waiting: 0,
  })
})

// R-1102
test('a job whose recipients have all opted out is completed', async () => {
  const { provider, ledger } = scriptedProvider()
  const job = await jobToPeople(3)
  await optOut(context.db, people(3))
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')
  expect(ledger).toEqual([])
  expect(await context.log(job.id)).toEqual(['job_started', 'recipients_skipped', 'job_completed'])
})

// R-1102
test('a job that waits for new people is completed once all who are left have opted out', async () => {
  const { provider, ledger } = scriptedProvider()
  const { id: instanceId } = await context.add.instance({ newPeopleCap: 1 })
  const job = await jobToPeople(3, { instanceId })
  context.worker(provider)
  await context.untilWaiting(job.id, 'new_people')
  await optOut(context.db, people(3).slice(1))
  await context.untilStatus(job.id, 'Completed')
  expect(ledger.map(({ to }) => to)).toEqual(people(1))
  expect(await reasons(job.id)).toEqual(['sent', 'skipped opted_out', 'skipped opted_out'])
})

const future = '2100-01-01T00:00:00Z'

/** Columns of an instance for whose sake a job sends nothing. */
const heldBy = {
  person_limit: {},
  new_people: { newPeopleLeft: 0, newPeopleUntil: future },
  capped_by_whatsapp: { cappedUntil: future },
  reading_incoming: { incomingUntil: 'epoch' },
  pause_between: { nextDueAt: future },
  account_inactive: { isActive: false },
}

// R-1102
test.each(Object.entries(heldBy))(
  'a job that waits because of %s skips who has opted out, and ends with the last one',
  async (code, columns) => {
    const { id: instanceId } = await context.add.instance(columns)
    const job = await jobToPeople(4, { instanceId, status: 'Running', startedAt: new Date() })
    const [first, second, third] = await context.deliveries(job.id)
    await context.db.run(sql`
      update deliveries set not_before = clock_now() + interval '1 day', reason = ${json({ code: 'person_limit' })}
      where id = ${first?.id}`)
    await context.db.run(sql`update deliveries set status = 'skipped' where id = ${third?.id}`)
    await context.db.run(sql`update jobs set cursor = ${second?.id} where id = ${job.id}`)

    const work = async () => {
      await skipOptedOut(context.db)
      await finishJobs(context.db)
    }
    await optOut(context.db, people(4).slice(1))
    await work()
    expect(await reasons(job.id)).toEqual([
      'queued person_limit',
      'skipped opted_out',
      'skipped',
      'skipped opted_out',
    ])
    expect((await whyWaiting(context.db, job.id)).waiting?.code).toBe(code)
    await optOut(context.db, people(1))
    await work()
    expect(await context.jobStatus(job.id)).toBe('Completed')
  },
)

// R-1102
test('somebody whose message was put off is skipped, however many others are next', async () => {
  const { id: instanceId } = await context.add.instance({ isActive: false })
  const job = await jobToPeople(2_100, { instanceId, status: 'Running' })
  const [first, second] = await context.deliveries(job.id)
  await context.db.run(sql`
    update deliveries set not_before = clock_now() + interval '1 day', reason = ${json({ code: 'person_limit' })}
    where id = ${first?.id}`)
  await context.db.run(sql`update jobs set cursor = ${second?.id} where id = ${job.id}`)
  await optOut(context.db, people(1))
  // Else it would look for them for ever.
  await skipOptedOut(context.db, AbortSignal.timeout(5_000))
  expect((await context.statuses(job.id)).filter((status) => status === 'skipped')).toHaveLength(1)
})

// R-1102
test('whoever has the lock of the instance is not waited for, and the rest is skipped later, in several slices', async () => {
  const { id: instanceId } = await context.add.instance({ isActive: false })
  const job = await jobToPeople(2_500, { instanceId, status: 'Running' })
  await optOut(context.db, people(2_500))
  await context.db.begin(async (tx) => {
    await tx.run(lockOf.instance(job.id))
    await skipOptedOut(context.db)
  })
  expect(new Set(await context.statuses(job.id))).toEqual(new Set(['queued']))
  await Promise.all([skipOptedOut(context.db), skipOptedOut(context.db)])
  await skipOptedOut(context.db)
  await finishJobs(context.db)
  expect(await recipientCounts(context.db, job.id)).toMatchObject({ skipped: 2_500, waiting: 0 })
  expect(await context.jobStatus(job.id)).toBe('Completed')
})

// R-1103
test('an opt-out of one account concerns no other, and jobs to groups ask for none', async () => {
  const { provider, ledger } = scriptedProvider()
  const [one, other] = [await context.add.instance(), await context.add.instance()]
  await optOut(context.db, people(1), one.id)
  await optOut(context.db, ['1@g.us'])
  const jobs = [
    await jobToPeople(1, { instanceId: one.id }),
    await jobToPeople(1, { instanceId: other.id }),
    await context.add.job({ instanceId: one.id }),
  ]
  context.worker(provider)
  for (const { id } of jobs) await context.untilStatus(id, 'Completed')
  expect(await Promise.all(jobs.map(({ id }) => context.statuses(id)))).toEqual([
    ['skipped'],
    ['sent'],
    ['sent', 'sent', 'sent'],
  ])
  expect(ledger).toHaveLength(4)
})

/** The rows that the statement of an intent may have to wait for. */
const lockOf = {
  instance: (id: number) =>
    sql`select from instances where id = (select instance_id from jobs where id = ${id}) for update`,
  job: (id: number) => sql`select from jobs where id = ${id} for update`,
  delivery: (id: number) => sql`select from deliveries where job_id = ${id} for update`,
  'changed delivery': (id: number) => sql`update deliveries set read_members = 1 where job_id = ${id}`,
}

// R-1104
for (const [row, locking] of Object.entries(lockOf))
  test(`no intent follows an opt-out that was committed while its statement waited for the ${row}`, async () => {
    const job = await jobToPeople(2)
    await context.db.run(sql`update jobs set status = 'Running' where id = ${job.id}`)
    const claim = await context.claimOne()
    const waiting = await countWaiting(context.db)
    const { step } = await context.db.begin(async (tx) => {
      await tx.run(locking(job.id))
      const asked = { step: context.writeIntent(claim) }
      await until('the intent waits', async () => (await countWaiting(context.db)) > waiting)
      await optOut(context.db, people(1))
      return asked
    })
    expect(await step).toEqual({ kind: 'passed' })
    expect(await reasons(job.id)).toEqual(['skipped opted_out', 'queued'])
    expect(await context.writeIntent(claim)).toMatchObject({ kind: 'send', chatId: people(2)[1] })
  })

// R-1101
test('whoever opts out while their message is to be tried again, or in doubt, is skipped', async () => {
  const scripted = scriptedProvider()
  const busy = await jobToPeople(1, { status: 'Running' })
  const { message: refused } = await context.beginSend()
  await context.settle(refused, {
    kind: 'busy',
    reason: { code: 'provider_busy', params: {} },
    retryAfterMs: null,
  })
  const lost = await jobToPeople(2, { status: 'Running' })
  const { message } = await context.beginSend()
  await optOut(context.db, people(1))
  context.worker(scripted.provider)

  await context.untilStatus(busy.id, 'Completed')
  await context.moveClock('21 seconds')
  await context.untilStatuses(lost.id, 'doubt', 'sent')
  await context.moveClock('10 seconds')
  await until('the first look-up has ended', async () => scripted.calls.status === 1)
  await until('the second look-up has ended', async () => {
    await context.moveClock('6 seconds')
    return (await context.statuses(lost.id))[0] === 'skipped'
  })

  await context.untilStatus(lost.id, 'Completed')
  expect([await reasons(busy.id), await reasons(lost.id)]).toEqual([
    ['skipped opted_out'],
    ['skipped opted_out', 'sent'],
  ])
  expect(scripted.ledger.map(({ to }) => to)).toEqual(people(2).slice(1))

  // The message went out before. Its result is true, however late it comes.
  await context.settle(message, { kind: 'sent', providerMessageId: 'late' })
  expect(await context.statuses(lost.id)).toEqual(['sent', 'sent'])
})

// R-1101
test('after a loss, whoever got the message before they opted out counts as sent', async () => {
  const scripted = scriptedProvider()
  const { id: instanceId } = await context.add.instance({ checkedEra: null })
  const job = await jobToPeople(3, { instanceId, status: 'Running', textContent: 'Hello' })
  const [first = '', second = ''] = people(2)
  await optOut(context.db, [first, second])
  await context.db.begin((tx) => skipUnreachable(tx, job.id))
  scripted.accept({ token: 'any', to: first, text: 'Hello', mediaId: null })
  context.worker(scripted.provider)

  await context.untilStatus(job.id, 'Completed')
  expect(await reasons(job.id)).toEqual(['sent', 'skipped opted_out', 'sent'])
  expect(scripted.calls.sends.map(({ to }) => to)).toEqual(people(3).slice(2))
})

// R-1105
test('a retry and a restart leave out who has opted out, until that ends', async () => {
  const { provider, ledger } = scriptedProvider()
  const [first = ''] = people(1)
  const job = await jobToPeople(3)
  await context.db.begin((tx) => cancelJob(tx, job.id, 'Ann'))
  await optOut(context.db, [first])

  expect(await context.db.begin((tx) => retryFailed(tx, job.id, 'Ann', onlyKnown))).toBe('done')
  expect(await reasons(job.id)).toEqual(['skipped opted_out', 'queued', 'queued'])
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')
  expect(ledger.map(({ to }) => to)).toEqual(people(3).slice(1))
  expect(await context.db.begin((tx) => retryFailed(tx, job.id, 'Ann', onlyKnown))).toBe('nothing')

  expect(await context.db.begin((tx) => restartJob(tx, job.id, 'Ann'))).toBe('done')
  expect(await reasons(job.id)).toEqual(['skipped opted_out', 'queued', 'queued'])
  await context.untilStatus(job.id, 'Completed')
  expect(ledger.filter(({ to }) => to === first)).toEqual([])

  await optIn()
  expect(await context.db.begin((tx) => retryFailed(tx, job.id, 'Ann', onlyKnown))).toBe('done')
  await context.untilStatus(job.id, 'Completed')
  expect(ledger.filter(({ to }) => to === first)).toHaveLength(1)
})

// R-1106
test('a new job shows who has opted out and whose number is not on WhatsApp, and sends to the others', async () => {
  const { provider, ledger } = scriptedProvider()
  const { id: instanceId } = await context.add.instance({ isTest: false })
  const [first = '', second = ''] = people(2)
  await optOut(context.db, [first])
  await context.db.run(sql`
    insert into number_checks (phone, answer, checked_at) values (split_part(${second}, '@', 1), 'no', clock_now()),
      (split_part(${people(3)[2]}, '@', 1), 'no', clock_now() - interval '31 days'),
      (split_part(${people(4)[3]}, '@', 1), 'unknown', clock_now())`)
  await context.db.run(sql`
    insert into number_checks (phone, answer, is_test) values (split_part(${people(5)[4]}, '@', 1), 'no', true)`)
  const { id: userId } = await context.add.user()
  const id = await context.db.begin((tx) =>
    planJob(tx, {
      ...{
        jobType: 'SendToUsers',
        messageId: null,
        textContent: 'Hello',
        imageId: null,
        scheduledAt: null,
        instanceId,
      },
      createdBy: { id: userId, name: 'Lan' },
      recipients: people(5).map((chatId) => ({ chatId, name: chatId, groupId: null, contactId: null })),
    }),
  )
  expect(await reasons(id)).toEqual([
    'skipped opted_out',
    'skipped not_on_whatsapp',
    'queued',
    'queued',
    'queued',
  ])
  context.worker(provider)
  await context.untilStatus(id, 'Completed')
  expect(ledger.map(({ to }) => to)).toEqual(people(5).slice(2))
  await context.db.run(sql`delete from number_checks`)
})

test('the intent of a program that knows no opt-outs is not written either', async () => {
  const job = await jobToPeople(2)
  await optOut(context.db, people(1))
  const begin = sql`
    update deliveries set status = 'sending', attempt = attempt + 1, intent = gen_random_uuid(), intent_at = clock_now()
    where job_id = ${job.id} and status = 'queued'`
  expect(await context.db.run(begin)).toBe(1)
  expect(await reasons(job.id)).toEqual(['skipped opted_out', 'sending'])
})

// R-1107
test('among many opt-outs an intent takes one look at an index', async () => {
  const chats = Array.from({ length: 20_000 }, (_, n) => `84${100_000_000 + n}@s.whatsapp.net`)
  await optOut(context.db, chats)
  await context.db.run(sql`analyze opted_out`)
  const job = await jobToPeople(1)
  await context.db.run(sql`update jobs set status = 'Running' where id = ${job.id}`)
  const claim = await context.claimOne()
  const [before, after] = await context.db.begin(async (tx) => {
    const looks = () =>
      tx.one<{ seqScan: number; idxScan: number }>(sql`
        select seq_scan, idx_scan from pg_stat_xact_user_tables where relname = 'opted_out'`)
    const none = await looks()
    const [step] = await writeIntents(tx, [{ claim, intent: randomUUID(), lastBeatSeen: 0 }], 'wait')
    expect(step).toMatchObject({ kind: 'send' })
    return [none, await looks()]
  })
  expect([after.seqScan - before.seqScan, after.idxScan - before.idxScan]).toEqual([0, 1])
})
