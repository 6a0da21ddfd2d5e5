import { expect, test, vi } from 'vitest'
import { useEngineContext } from '../../test/engine-context.ts'
import { scriptedProvider } from '../../test/scripted-provider.ts'
import { until } from '../../test/until.ts'
import { ConnectionError } from '../platform/database/errors.ts'
import { sql } from '../platform/database/sql.ts'
import { interruptibleSleep, openLoop } from './loop.ts'

const silentLog = () => ({ info: vi.fn(), warn: vi.fn(), error: vi.fn() })

test('a step that fails is logged by its name and left out for a while; the others run in every pass', async () => {
  const log = silentLog()
  const failing = vi.fn(() => Promise.reject(new Error('broken')))
  const healthy = vi.fn(async () => {})
  const loop = openLoop(
    [
      { name: 'failing', every: 0, run: failing },
      { name: 'healthy', every: 0, run: healthy },
    ],
    log,
  )

  for (let pass = 0; pass < 5; pass++) await loop.pass()

  expect(failing).toHaveBeenCalledTimes(1)
  expect(healthy).toHaveBeenCalledTimes(5)
  expect(log.error).toHaveBeenCalledExactlyOnceWith(
    { err: expect.any(Error), step: 'failing' },
    expect.any(String),
  )
})

test('a step with a period runs once in each period', async () => {
  const run = vi.fn(async () => {})
  const loop = openLoop([{ name: 'rare', every: 60_000, run }], silentLog())
  await loop.pass()
  await loop.pass()
  expect(run).toHaveBeenCalledTimes(1)
})

test('a lost database is logged once when it is lost and once when it is back', async () => {
  const log = silentLog()
  let isDown = true
  const run = async () => {
    if (isDown) throw new ConnectionError('down')
  }
  const loop = openLoop([{ name: 'any', every: 0, run }], log)

  await loop.pass()
  await loop.pass()
  isDown = false
  await loop.pass()
  await loop.pass()

  expect(log.warn).toHaveBeenCalledTimes(1)
  expect(log.info).toHaveBeenCalledTimes(1)
  expect(log.error).not.toHaveBeenCalled()
})

test('a wake between two sleeps ends the next one', async () => {
  const sleep = interruptibleSleep()
  sleep.wake()
  await sleep.sleep(60_000)
  const sleeping = sleep.sleep(60_000)
  sleep.wake()
  await sleeping
})

const context = useEngineContext()

test('messages are sent while other steps fail', async () => {
  const failed = new Set<string | undefined>()
  const log = { info() {}, warn() {}, error: ({ step }: { step?: string }) => void failed.add(step) }
  await context.db.run(sql`alter table delivery_viewers rename to renamed`)
  await context.db.run(sql`alter table instances rename column next_ask_at to renamed`)
  const job = await context.add.job({ recipients: ['1@g.us'] })

  context.worker(scriptedProvider().provider, { log })

  await context.untilStatus(job.id, 'Completed')
  await until(
    'the other steps have failed',
    () => failed.has('apply receipts') && failed.has('poll receipts'),
  )
})
