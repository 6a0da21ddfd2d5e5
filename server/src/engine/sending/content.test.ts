import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { fileOf } from '../../../test/one-byte-file.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import type { OutgoingContent } from '../../providers/provider.ts'
import { openHeartbeat } from '../history/heartbeat.ts'
import { claimLookUps } from '../in-doubt/look-up.ts'
import { markInDoubt } from '../in-doubt/mark-in-doubt.ts'

const context = useEngineContext()
const silent = { info() {}, warn() {}, error() {} }

type Kind = 'video' | 'document' | 'audio' | 'voice'

/** Adds a running job to `recipients` with a file. Without a caption the text is the file's name. */
async function jobWithFile(kind: Kind, { caption = '', recipients = ['1@g.us'], ...more } = {}) {
  const file = await context.add.file(kind, { seconds: 7 })
  const fileName = `a.${kind}`
  const job = await context.add.job({
    ...{ status: 'Running', recipients, fileId: file.id, textContent: caption || fileName },
    content: JSON.stringify({ kind, fileName }),
    ...more,
  })
  return { job, file }
}

const bytesOf = async () => fileOf(new Uint8Array([1, 2, 3]))
const mediaId = 'media-1'

// R-1603
test.each<[Kind, string, OutgoingContent]>([
  ['video', 'Hi', { kind: 'video', mediaId, caption: 'Hi' }],
  ['video', '', { kind: 'video', mediaId, caption: '' }],
  ['document', 'Hi', { kind: 'document', mediaId, caption: 'Hi', fileName: 'a.document' }],
  ['document', '', { kind: 'document', mediaId, caption: '', fileName: 'a.document' }],
  ['audio', '', { kind: 'audio', mediaId, seconds: 7 }],
  ['voice', '', { kind: 'voice', mediaId, seconds: 7 }],
])('a %s with the caption %j is uploaded and sent', async (kind, caption, content) => {
  const { provider, calls } = scriptedProvider()
  const { job } = await jobWithFile(kind, { caption })
  context.worker(provider, { openMedia: bytesOf })

  await context.untilStatus(job.id, 'Completed')

  expect(calls.sends).toMatchObject([{ to: '1@g.us', content }])
})

// R-1603
test('a poll and a place are sent as what they are', async () => {
  const { provider, calls } = scriptedProvider()
  const poll = { kind: 'poll', options: ['Yes', 'No'], allowsSeveral: true }
  const place = { kind: 'location', latitude: 10.5, longitude: 106.25, address: '1 Lê Lợi' }
  for (const content of [poll, place])
    await context.add.job({ recipients: ['1@g.us'], textContent: 'Tea?', content: JSON.stringify(content) })
  context.worker(provider)

  await until('both are sent', () => calls.sends.length === 2)

  expect(calls.sends.map(({ content }) => content)).toEqual([
    { ...poll, question: 'Tea?' },
    { ...place, name: 'Tea?' },
  ])
})

// R-1604
test('an account uploads a file once, and again when the provider has lost it', async () => {
  const { provider, calls, script, accept } = scriptedProvider()
  const { id: instanceId } = await context.add.instance()
  const { job, file } = await jobWithFile('video', { caption: 'Hi', instanceId } as object)
  context.worker(provider, { openMedia: bytesOf })
  await context.untilStatus(job.id, 'Completed')
  const again = () =>
    context.add.job({
      ...{ status: 'Running', recipients: ['2@g.us'], fileId: file.id, textContent: 'Hi', instanceId },
      content: JSON.stringify({ kind: 'video', fileName: 'a.video' }),
    })

  await context.untilStatus((await again()).id, 'Completed')
  expect(calls.uploads).toBe(1)

  script.onSend = (send) => (send.mediaId === 'media-1' ? { kind: 'media_gone' } : accept(send))
  await context.untilStatus((await again()).id, 'Completed')
  expect(calls.uploads).toBe(2)

  await context.moveClock('30 days')
  await context.untilStatus((await again()).id, 'Completed')
  expect(calls.uploads).toBe(3)
})

/** A message whose worker has died between intent and settle, and what the chat shows of it. */
async function afterDeath(kind: Kind, caption: string) {
  const scripted = scriptedProvider()
  const { job, file } = await jobWithFile(kind, { caption })
  await context.db.run(sql`update jobs set media_id = 'media-9' where id = ${job.id}`)
  const { message } = await context.beginSend()
  const inChat = (media: object) => {
    scripted.accept({ token: 'any', to: message.chatId, text: caption, mediaId: null })
    const [entry] = scripted.ledger
    Object.assign(entry?.message ?? {}, {
      kind,
      media: { sha256: null, size: null, fileName: null, ...media },
    })
  }
  return { ...scripted, job, file, inChat }
}

async function lookUpTwice(jobId: number) {
  await context.moveClock('31 seconds')
  await until('the first look-up has ended', async () => {
    const looked = await context.db.run(
      sql`select from deliveries where job_id = ${jobId} and not_found_at is not null`,
    )
    return looked > 0
  })
  await context.moveClock('6 seconds')
}

// R-1602
test('a voice message is found by its bytes', async () => {
  const world = await afterDeath('voice', '')
  world.inChat({ sha256: world.file.sha256.toString('hex') })
  context.worker(world.provider, { openMedia: bytesOf })

  await context.moveClock('31 seconds')
  await context.untilStatus(world.job.id, 'Completed')

  expect(world.calls.sends).toEqual([])
  expect(await context.statuses(world.job.id)).toEqual(['sent'])
})

// R-1601
test('a voice message that the provider has encoded again is not sent twice: a person decides', async () => {
  const world = await afterDeath('voice', '')
  world.inChat({ sha256: 'f'.repeat(64), size: 5 })
  context.worker(world.provider, { openMedia: bytesOf })

  await lookUpTwice(world.job.id)
  await context.untilStatuses(world.job.id, 'failed')

  expect(world.calls.sends).toEqual([])
  expect((await context.deliveries(world.job.id))[0]?.reason?.code).toBe('outcome_unknown')
})

// R-1601
test('a video with a caption that is not in the chat is sent again', async () => {
  const world = await afterDeath('video', 'Only today')
  context.worker(world.provider, { openMedia: bytesOf })

  await lookUpTwice(world.job.id)
  await context.untilStatuses(world.job.id, 'queued')
  await context.moveClock('10 seconds')
  await context.untilStatus(world.job.id, 'Completed')

  expect(world.calls.sends).toHaveLength(1)
})

// R-1605
test.each([
  ['', true],
  ['Only today', false],
])('in a new era a job with a file and the caption %j waits for a person: %s', async (caption, waits) => {
  const world = scriptedProvider()
  await openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }).beat()
  const { id: instanceId } = await context.add.instance({ checkedEra: null })
  const { job } = await jobWithFile('video', { caption, instanceId } as object)
  await context.db.run(sql`update jobs set created_at = clock_now() - interval '1 hour' where id = ${job.id}`)
  context.worker(world.provider, { openMedia: bytesOf })

  if (waits) await context.untilWaiting(job.id, 'paused')
  else await context.untilStatus(job.id, 'Completed')

  expect((await context.log(job.id)).includes('history_uncertain')).toBe(waits)
  expect(world.calls.sends).toHaveLength(waits ? 0 : 1)
})

// R-1606
test('a program that does not know contents gets no turn and no look-up, and makes no such job', async () => {
  const { job } = await jobWithFile('video', { caption: 'Hi' })
  await context.db.run(sql`update jobs set media_id = 'media-9' where id = ${job.id}`)
  expect(
    await context.db.run(sql`
      update jobs set last_turn_at = clock_now(), cursor = cursor + 1 where id = ${job.id}`),
  ).toBe(0)

  await context.beginSend()
  await context.moveClock('21 seconds')
  await markInDoubt(context.db)
  expect(
    await context.db.run(sql`
      update deliveries set next_look_at = clock_now() + interval '2 minutes' where job_id = ${job.id}`),
  ).toBe(0)
  expect(await claimLookUps(context.db, 10, [])).toHaveLength(1)

  const file = await context.add.file()
  const message = await context.add.message({
    fileId: file.id,
    content: JSON.stringify({ kind: 'video', fileName: 'a.mp4' }),
  })
  await expect(context.add.job({ messageId: message.id })).rejects.toThrow('does not know')
})

// R-1775
test('a program that does not know contents gets no turn for a job that was put off after a failed upload', async () => {
  const { job } = await jobWithFile('video', { caption: 'Hi' })
  await context.db.run(
    sql`update jobs set last_turn_at = clock_now() + interval '1 hour' where id = ${job.id}`,
  )
  const takeTurn = sql`update jobs set last_turn_at = clock_now(), cursor = cursor + 1 where id = ${job.id}`

  expect(await context.db.run(takeTurn)).toBe(0)
})

// R-1605
test('a job that is paused already says in a new era that it is uncertain', async () => {
  const world = scriptedProvider()
  await openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }).beat()
  const { id: instanceId } = await context.add.instance({ checkedEra: null })
  const { job } = await jobWithFile('voice', { instanceId } as object)
  const { job: other } = await jobWithFile('video', { caption: 'Hi', instanceId } as object)
  await context.db.run(sql`
    update jobs set created_at = clock_now() - interval '1 hour',
      paused_at = case when id = ${job.id} then clock_now() end`)
  context.worker(world.provider, { openMedia: bytesOf })

  await context.untilStatus(other.id, 'Completed')

  expect(await context.log(job.id)).toContain('history_uncertain')
})

// R-1602
test('a place whose name has variables is found in the history', async () => {
  const world = scriptedProvider()
  await openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }).beat()
  const { id: instanceId } = await context.add.instance({ checkedEra: null })
  const place = { kind: 'location', latitude: 10.5, longitude: 106.25, address: '' } as const
  const job = await context.add.job({
    ...{ status: 'Running', instanceId, isPersonal: true, textContent: 'Party for {{name}}' },
    ...{ recipients: ['84912345678@s.whatsapp.net'], content: JSON.stringify(place), jobType: 'SendToUsers' },
  })
  await context.db.run(sql`
    insert into delivery_texts select id, 'Party for An' from deliveries where job_id = ${job.id}`)
  world.accept({
    ...{ token: 'any', to: '84912345678@s.whatsapp.net', text: '', mediaId: null },
    content: { ...place, name: 'Party for An' },
  })
  context.worker(world.provider)

  await context.untilStatus(job.id, 'Completed')

  expect(world.calls.sends).toEqual([])
})

// R-1606
test('a program that does not know contents puts no other text into a job with one', async () => {
  const { job } = await jobWithFile('video', { caption: 'Hi' })
  await expect(
    context.db.run(sql`update jobs set text_content = 'Closed' where id = ${job.id}`),
  ).rejects.toThrow('does not know')
})

// R-1604
test('a stop ends an upload, which the next worker begins anew', async () => {
  const { provider, script, calls } = scriptedProvider()
  const { job } = await jobWithFile('video', { caption: 'Hi' })
  const upload = script.onUpload
  let hasBegun = false
  script.onUpload = async (file) => {
    hasBegun = true
    const stream = await file.open()
    return await new Promise((resolve) => {
      const why = { code: 'image_store_down', params: {} } as const
      stream.once('error', () => resolve({ kind: 'busy', reason: why, retryAfterMs: null }))
    })
  }
  const endless = async () => ({ ...(await bytesOf()), open: async () => new Readable({ read() {} }) })
  const worker = context.worker(provider, { openMedia: endless })
  await until('the upload has begun', () => hasBegun)

  await worker.stop()
  script.onUpload = upload
  context.worker(provider, { openMedia: bytesOf })
  await context.untilStatus(job.id, 'Completed')

  expect(calls.sends).toHaveLength(1)
  expect(await context.log(job.id)).not.toContain('image_upload_failed')
})
