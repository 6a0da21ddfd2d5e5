import { once } from 'node:events'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { fileOf } from '../../../test/one-byte-file.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { ProviderFailure } from '../../providers/provider.ts'
import { cancelJob } from '../index.ts'
import { readMembers } from './read-members.ts'
import { uploadMedia } from './upload.ts'

const context = useEngineContext()

// R-1777
test.each(['files can’t be uploaded', 'groups can’t be read'])(
  'twelve jobs whose %s do not hold up each message of the account’s other job',
  async (what) => {
    const { provider, script } = scriptedProvider()
    let attempts = 0
    script.onUpload = () => {
      attempts++
      return { kind: 'busy', reason: { code: 'provider_unreachable', params: {} }, retryAfterMs: null }
    }
    const group = () => {
      attempts++
      throw new ProviderFailure('unreachable', { code: 'provider_unreachable', params: {} })
    }
    const deps = context.deps({ ...provider, group }, { openMedia: async () => fileOf(new Uint8Array([1])) })
    const uploading = { ...deps, isGivingUp: () => false, stopping: new AbortController().signal }
    const { id: instanceId } = await context.add.instance()
    for (let n = 0; n < 12; n++) {
      const file = await context.add.file('video', { name: `${what}-${n}.mp4` })
      const prepared = what.startsWith('files')
        ? { fileId: file.id, content: JSON.stringify({ kind: 'video', fileName: 'a.mp4' }) }
        : { mentionsAll: true }
      await context.add.job({ instanceId, status: 'Running', recipients: [`${n}@g.us`], ...prepared })
    }
    const recipients = Array.from({ length: 40 }, (_, n) => `${n + 100}@g.us`)
    const other = await context.add.job({ instanceId, status: 'Running', recipients })
    await context.freezeClock()

    for (let sent = 0; sent < recipients.length; ) {
      const claim = await context.claimOne()
      const step = await context.writeIntent(claim)
      if (step.kind === 'upload') await uploadMedia(uploading, claim, step)
      else if (step.kind === 'members') await readMembers(uploading, claim, step)
      else if (step.kind === 'send') {
        await context.settle(step, { kind: 'sent', providerMessageId: `${what}-${++sent}` })
        await context.db.run(sql`update instances set claim = null, lease_until = null`)
      } else throw new Error(step.kind)
      await untilDue()
    }

    expect(await context.statuses(other.id)).toEqual(recipients.map(() => 'sent'))
    // Each is tried once before any is put off.
    expect(attempts).toBeLessThan(12 + recipients.length / 2)
  },
)

// R-1780
test('a job that was put off has its turn once another job of the account has uploaded the same file', async () => {
  const { provider } = scriptedProvider()
  const { id: instanceId } = await context.add.instance()
  const file = await context.add.file('video')
  const withFile = (to: string) =>
    context.add.job({
      ...{ instanceId, status: 'Running', recipients: [to], fileId: file.id, textContent: 'Hi' },
      content: JSON.stringify({ kind: 'video', fileName: 'a.mp4' }),
    })
  const putOff = await withFile('1@g.us')
  const first = await withFile('2@g.us')
  await context.db.run(
    sql`update jobs set last_turn_at = clock_now() + interval '1 hour' where id = ${putOff.id}`,
  )
  const recipients = Array.from({ length: 1_000 }, (_, n) => `${n + 100}@g.us`)
  const other = await context.add.job({ instanceId, status: 'Running', recipients })
  context.worker(provider)

  await context.untilStatus(first.id, 'Completed')
  await context.untilStatus(putOff.id, 'Completed')

  expect(await context.jobStatus(other.id)).toBe('Running')
})

// R-1781
test('a job that waits behind the uploads of other accounts keeps its account waiting no more once it is cancelled', async () => {
  const { provider, script } = scriptedProvider()
  let begun = 0
  script.onUpload = async (file) => {
    const stream = await file.open()
    begun++
    await once(stream, 'error')
    return { kind: 'busy', reason: { code: 'image_store_down', params: {} }, retryAfterMs: null }
  }
  const endless = { mimeType: 'video/mp4', size: 1 << 24, open: async () => new Readable({ read() {} }) }
  const withFile = async (to: string) => {
    const file = await context.add.file('video')
    return context.add.job({
      ...{ status: 'Running', recipients: [to], fileId: file.id, textContent: 'Hi' },
      content: JSON.stringify({ kind: 'video', fileName: 'a.mp4' }),
    })
  }
  for (const to of ['1@g.us', '2@g.us', '3@g.us']) await withFile(to)
  const errors: unknown[] = []
  const log = { info() {}, warn() {}, error: (error: unknown) => errors.push(error) }
  context.worker(provider, { openMedia: async () => endless, log })
  await until('three files are uploaded', () => begun === 3)
  const waiting = await withFile('4@g.us')
  const isHeld = sql`select from instances where id = ${waiting.instanceId} and claim is not null`
  await until('the fourth waits', async () => (await context.db.run(isHeld)) === 1)
  const other = await context.add.job({ instanceId: waiting.instanceId, recipients: ['5@g.us'] })

  await context.db.begin((tx) => cancelJob(tx, waiting.id, 'Ann'))
  await context.untilStatus(other.id, 'Completed')

  expect(begun).toBe(3)
  expect(errors).toEqual([])
})

/** Moves the clock to the account's next attempt, by a second at least. */
async function untilDue() {
  const { left } = await context.db.one<{ left: string }>(sql`
    select greatest(interval '1 second', max(next_due_at) - clock_now())::text as left from instances`)
  await context.moveClock(left)
}
