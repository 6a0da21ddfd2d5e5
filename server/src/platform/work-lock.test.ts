import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { useContext } from '../../test/context.ts'
import { until } from '../../test/until.ts'
import { LOCKS, tryLock } from './database/advisory-lock.ts'
import { connect, type Pool } from './database/connection.ts'
import { ConnectionError } from './database/errors.ts'
import { openWorkLock } from './work-lock.ts'

const context = useContext()
const closes: (() => Promise<unknown>)[] = []
// Runs before the hook of useContext() that drops the database, because afterEach hooks run in the opposite order.
afterEach(async () => {
  for (const close of closes.splice(0).toReversed()) await close()
})

type Answer = (asking: Promise<void>, cut: Promise<never>) => Promise<void>

/** Opens the lock. `answer` stands between the connection's signs of life and their answers. */
async function open(answer: Answer) {
  const { database } = context.database.address
  await context.db.script(
    `alter role current_user in database ${database} set idle_in_transaction_session_timeout = '3s'`,
  )
  const shared = connect(context.database.address, { applicationName: 'sendroom lock' })
  closes.push(() => shared.end(0))
  function dedicated(): Pool {
    const own = shared.dedicated()
    const cut = Promise.withResolvers<never>()
    cut.promise.catch(() => {})
    return {
      ...own,
      begin: (work) =>
        own.begin((tx) => work({ ...tx, script: (text) => answer(tx.script(text), cut.promise) })),
      end(timeoutMs) {
        cut.reject(new ConnectionError('cut'))
        return own.end(timeoutMs)
      },
    }
  }
  const times = { lookEveryMs: 1_000, believedMs: 2_000 }
  const lock = openWorkLock({ ...shared, dedicated }, new AbortController().signal, console, times)
  closes.push(lock.release)
  return lock
}

test('a process that stood still believes no answer from before', async () => {
  let answers = 0
  const lock = await open(async (asking) => {
    // Now the question is on its way.
    await setImmediate()
    if (++answers === 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500)
    await asking
  })
  await until('the process has stood still', () => answers === 2)
  let isBelieved: boolean | undefined
  await until('the lock is free', () =>
    context.db.begin(async (tx) => {
      const isFree = await tryLock(tx, LOCKS.recurringWork)
      if (isFree) isBelieved = lock.held() !== null
      return isFree
    }),
  )
  expect(isBelieved).toBe(false)
})

test('a connection that was cut in silence ends what runs, and another one takes the lock', async () => {
  let answers = 0
  const lock = await open((asking, cut) => (++answers === 2 ? cut : asking))
  const first = await until('the lock is held', () => lock.held())
  await until('the lock is lost', () => !lock.held())
  await until('what runs ends', () => first.aborted)
  await until('the lock is held again', () => lock.held())
})
