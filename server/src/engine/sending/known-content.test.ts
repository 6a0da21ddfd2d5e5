import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { fileOf } from '../../../test/one-byte-file.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { openHeartbeat } from '../history/heartbeat.ts'
import { claimLookUps, lookUp } from '../in-doubt/look-up.ts'
import { markInDoubt } from '../in-doubt/mark-in-doubt.ts'

// Triggers stop programs that do not know contents. These statements say that they do, where it shows rarely.

const context = useEngineContext()
const silent = { info() {}, warn() {}, error() {} }
const poll = JSON.stringify({ kind: 'poll', options: ['Yes', 'No'], allowsSeveral: false })
const openLarge = async () => fileOf(new Uint8Array(1 << 20))

// R-1606
test('after a promotion an account with a poll keeps its pause unchecked, as others do', async () => {
  const { era } = await context.db.one<{ era: string }>(sql`select era from heartbeat`)
  const nextDueAt = new Date(Date.now() + 600_000).toISOString()
  const { id: instanceId } = await context.add.instance({ checkedEra: era, nextDueAt })
  await context.add.job({ instanceId, status: 'Running', textContent: 'Tea?', content: poll })
  await context.db.run(sql`update heartbeat set timeline = 'FFFFFFFF', beat_at = clock_now()`)

  await openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }).beat()

  const after = await context.db.one<{ era: string; checkedEra: string }>(sql`
    select h.era, i.checked_era from heartbeat h, instances i where i.id = ${instanceId}`)
  expect(after.era).not.toBe(era)
  expect(after.checkedEra).toBe(after.era)
})

// R-1606
test('a look-up of a poll is written even if it took longer than its lease', async () => {
  const { provider } = scriptedProvider()
  const job = await context.add.job({
    ...{ recipients: ['1@g.us'], status: 'Running', textContent: 'Tea?', content: poll },
  })
  await context.beginSend()
  await context.moveClock('31 seconds')
  await markInDoubt(context.db)
  const [look] = await claimLookUps(context.db, 10, [])
  if (!look) throw new Error('There is no look-up')
  await context.moveClock('3 minutes')

  await lookUp(context.deps(provider), look)

  const looked = sql`select from deliveries where job_id = ${job.id} and not_found_at is not null`
  expect(await context.db.run(looked)).toBe(1)
})

// R-1604
test('a worker uploads three large files at a time', async () => {
  const { provider, calls, script } = scriptedProvider()
  const begun: PromiseWithResolvers<void>[] = []
  const upload = script.onUpload
  let running = 0
  let most = 0
  script.onUpload = async (file) => {
    most = Math.max(most, ++running)
    const one = Promise.withResolvers<void>()
    begun.push(one)
    await one.promise
    running--
    return upload(file)
  }
  const content = JSON.stringify({ kind: 'video', fileName: 'a.mp4' })
  for (let n = 0; n < 6; n++) {
    const { id: fileId } = await context.add.file()
    await context.add.job({
      recipients: ['1@g.us'],
      textContent: `Hi ${n}`,
      status: 'Running',
      fileId,
      content,
    })
  }
  context.worker(provider, { openMedia: openLarge })

  const claimed = sql`select from instances where claim is not null`
  await until('all six accounts are at work', async () => (await context.db.run(claimed)) === 6)
  for (let n = 0; n < 6; n++) {
    await until(
      'three files are on their way, or all that are left',
      () => begun.length >= Math.min(n + 3, 6),
    )
    begun[n]?.resolve()
    await until('one more is sent', () => calls.sends.length === n + 1)
  }

  expect(most).toBe(3)
})
