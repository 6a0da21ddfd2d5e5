import { beforeEach, describe, expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { openHeartbeat } from '../history/heartbeat.ts'
import { claimLookUps, lookUp } from '../in-doubt/look-up.ts'
import { markInDoubt } from '../in-doubt/mark-in-doubt.ts'
import { deleteJobs, restartJob, retryFailed } from '../index.ts'

// Jobs whose recipients have texts of their own.

const context = useEngineContext()
const silent = { info() {}, warn() {}, error() {} }
const recipients = ['1@s.whatsapp.net', '2@s.whatsapp.net', '3@s.whatsapp.net']
const texts = ['Hi Lan!', 'Hi An!', 'Hi Lan!']

const addJob = (more: Record<string, unknown> = {}) =>
  context.add.job({ status: 'Running', recipients, texts, textContent: 'Hi {{name}}!', ...more })
const sent = ({ ledger }: ReturnType<typeof scriptedProvider>) => ledger.map(({ to, text }) => [to[0], text])
const everybody = recipients.map((to, n) => [to[0], texts[n]])

//
test('each recipient gets their own text, again after a restart and a retry, and it is deleted with the job', async () => {
  const scripted = scriptedProvider()
  const job = await addJob()
  context.worker(scripted.provider)
  await context.untilStatus(job.id, 'Completed')
  expect(sent(scripted)).toEqual(everybody)

  scripted.script.onSend = () => ({ kind: 'rejected', reason: { code: 'refused', params: {} } })
  await context.db.begin((tx) => restartJob(tx, job.id, 'Ann'))
  await context.untilStatus(job.id, 'Failed')
  scripted.script.onSend = scripted.accept
  await context.db.begin((tx) => retryFailed(tx, job.id, 'Ann', { includeUnknown: false }))
  await context.untilStatus(job.id, 'Completed')
  expect(sent(scripted)).toEqual([...everybody, ...everybody])

  await deleteJobs(context.db, [job.id], 'Ann', async () => {})
  expect(await context.db.many(sql`select from delivery_texts`)).toEqual([])
})

//
test.each([
  ['their own text is found', 'Hi Lan!', 'sent'],
  ['the text of somebody else is not theirs', 'Hi An!', 'doubt'],
])('the first look-up after a worker died: %s', async (_, text, status) => {
  const scripted = scriptedProvider()
  const job = await addJob()
  const { message } = await context.beginSend()
  scripted.accept({ token: 'any', to: message.chatId, text, mediaId: null })
  await context.moveClock('21 seconds')
  await markInDoubt(context.db)
  const [look] = await claimLookUps(context.db, 1, [])
  if (look) await lookUp(context.deps(scripted.provider), look)
  expect(await context.statuses(job.id)).toEqual([status, 'queued', 'queued'])
})

describe('after the database has lost what was sent', () => {
  beforeEach(() => openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }).beat())

  //
  test.each([
    ['their own texts are found', [0, 'Hi Lan!\r\n'], ['2', '3']],
    ['the text of somebody else is not theirs', [1, 'Hi Lan!'], ['1', '2', '3']],
    ['another text with the same words is not theirs', [0, 'Hi Lan! Hi Lan!'], ['1', '2', '3']],
    ['an image with their text is not theirs', [0, 'Hi Lan!', 'image'], ['1', '2', '3']],
  ] as const)('%s', async (_, [place, text, mediaId = null], sentNow) => {
    const { id: instanceId } = await context.add.instance({ checkedEra: null })
    const job = await addJob({ instanceId })
    const scripted = scriptedProvider()
    scripted.accept({ token: 'any', to: recipients[place] ?? '', text, mediaId })
    context.worker(scripted.provider)
    await context.untilStatus(job.id, 'Completed')
    expect(scripted.calls.sends.map(({ to }) => to[0])).toEqual([...sentNow])
  })

  //
  test('somebody’s text in a chat of nobody pauses the job', async () => {
    const { id: instanceId } = await context.add.instance({ checkedEra: null })
    const job = await addJob({ instanceId })
    const scripted = scriptedProvider()
    scripted.accept({ token: 'any', to: '77@lid', text: 'Hi An!', mediaId: null })
    context.worker(scripted.provider)
    await until('the job is held', async () => (await context.log(job.id)).includes('history_unclear'))
    expect(scripted.calls.sends).toEqual([])
  })
})

//
test('a worker that does not know such texts gets no turn and no look-up', async () => {
  const job = await addJob()
  const turn = sql`update jobs set last_turn_at = now(), cursor = cursor where id = ${job.id}`
  expect(await context.db.run(turn)).toBe(0)
  await context.beginSend()
  await context.moveClock('21 seconds')
  await markInDoubt(context.db)
  const look = sql`update deliveries set next_look_at = now() + interval '1 hour' where doubt_since is not null`
  expect(await context.db.run(look)).toBe(0)
  expect(await claimLookUps(context.db, 1, [])).toMatchObject([{ jobId: job.id }])
})

//
test.each([
  ['a delivery fails', 'queued'],
  ['a look-up ends without an answer', 'sending'],
])('nobody gets a message without their text: %s', async (_, status) => {
  const scripted = scriptedProvider()
  const job = await addJob()
  if (status === 'sending') {
    await context.beginSend()
    await context.moveClock('21 seconds')
    await markInDoubt(context.db)
  }
  await context.db.run(sql`
    delete from delivery_texts where delivery_id = (select min(id) from deliveries where job_id = ${job.id})`)
  if (status === 'sending') {
    scripted.accept({ token: 'any', to: recipients[0] ?? '', text: 'Hi Lan!', mediaId: null })
    const [look] = await claimLookUps(context.db, 1, [])
    if (look) await lookUp(context.deps(scripted.provider), look)
    expect(await context.statuses(job.id)).toEqual(['doubt', 'queued', 'queued'])
    return
  }
  context.worker(scripted.provider)
  await context.untilStatus(job.id, 'Completed')
  expect(await context.statuses(job.id)).toEqual(['failed', 'sent', 'sent'])
  expect(sent(scripted)).toEqual(everybody.slice(1))
})

//
test('a program that does not know variables can make no job of a message that has some', async () => {
  const make = (hasVariables: boolean, textContent: string, copied = textContent) =>
    context.add
      .message({ hasVariables, textContent })
      .then(({ id }) => context.add.job({ messageId: id, textContent: copied }))
  await expect(make(true, 'Hi {{name}}')).rejects.toMatchObject({ code: '57014' })
  await make(false, 'Hi {{name}}')
  await make(true, 'Hi')
  await make(true, 'Hi \\{{name}}', 'Hi {{name}}')
})

//
test('a worker that does not know such texts gets no turn after the clock was set back either', async () => {
  const job = await addJob()
  await context.db.run(sql`update jobs set last_turn_at = now() + interval '1 hour' where id = ${job.id}`)
  expect(
    await context.db.run(sql`update jobs set last_turn_at = now(), cursor = cursor where id = ${job.id}`),
  ).toBe(0)
})
