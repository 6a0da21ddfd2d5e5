import { afterEach, beforeEach, expect, test } from 'vitest'
import { type HeavyRequest, type HeavyWork, openHeavyWork } from './heavy-work.ts'

let heavyWork: HeavyWork
/** The names of the started pieces of work, in their order, and for each a function that ends it. */
let started: string[]
let end: Record<string, (error?: Error) => void>

beforeEach(() => {
  heavyWork = openHeavyWork()
  started = []
  end = {}
})
afterEach(() => heavyWork.stop())

const never = new AbortController().signal
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Runs work that lasts until `end[name]`. Resolves to its name, or to the refusal's code. */
async function run(name: string, request: Partial<HeavyRequest> & { userId: number }): Promise<string> {
  const result = heavyWork.run({ signal: never, ...request }, ({ signal }) => {
    started.push(name)
    return new Promise<string>((resolve, reject) => {
      end[name] = (error) => (error ? reject(error) : resolve(name))
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  })
  return result.catch((error) => error.code ?? error.message)
}

test('a user has one piece of work at a time, all users together have two', async () => {
  const work = [
    run('a1', { userId: 1 }),
    run('a2', { userId: 1 }),
    run('b', { userId: 2 }),
    run('c', { userId: 3 }),
  ]
  await settled()
  expect(started).toEqual(['a1', 'b'])
  end.b?.()
  await settled()
  expect(started).toEqual(['a1', 'b', 'c'])
  end.a1?.()
  await settled()
  expect(started).toEqual(['a1', 'b', 'c', 'a2'])
  end.c?.()
  end.a2?.()
  expect(await Promise.all(work)).toEqual(['a1', 'a2', 'b', 'c'])
})

test('work that fails gives its error and frees its place', async () => {
  const failing = run('a1', { userId: 1 })
  const next = run('a2', { userId: 1 })
  await settled()
  end.a1?.(new Error('broken'))
  expect(await failing).toBe('broken')
  await settled()
  end.a2?.()
  expect(await next).toBe('a2')
})

test('a newer preview of a user replaces the one that waits, and nothing else', async () => {
  const preview = (name: string, userId: number) => run(name, { userId, replaces: 'preview' })
  const first = preview('first', 1)
  const other = run('other', { userId: 2 })
  const waiting = [run('export', { userId: 1 }), preview('of another', 2)]
  const older = preview('older', 1)
  const newer = preview('newer', 1)

  expect(await older).toBe('unavailable')
  for (const name of ['first', 'other', 'export', 'of another', 'newer']) {
    await settled()
    end[name]?.()
  }
  expect(await Promise.all([first, other, ...waiting, newer])).toEqual([
    'first',
    'other',
    'export',
    'of another',
    'newer',
  ])
  expect(started).not.toContain('older')
})

test('a user may let five pieces of work wait, and all users together ten', async () => {
  const of = (userId: number, count: number) =>
    Array.from({ length: count }, (_, n) => run(`${userId}-${n}`, { userId }))
  const first = of(1, 7)
  expect(await first[6]).toBe('too_many_requests')
  const second = of(2, 6)
  const [third] = of(3, 1)
  expect(await second[5]).toBe('unavailable')
  for (const [name, ending] of [
    ['1-0', first[0]],
    ['2-0', second[0]],
  ] as const) {
    end[name]?.()
    await ending
  }
  await settled()
  expect(started.slice(2)).toContain('3-0')

  await heavyWork.stop()
  expect(await Promise.all([...first.slice(1, 6), ...second.slice(1), third])).toEqual(
    Array.from({ length: 11 }, () => 'unavailable'),
  )
})

test('when ten wait, two users do not keep out a third: whoever has the most waiting loses the newest', async () => {
  const of = (userId: number, count: number) =>
    Array.from({ length: count }, (_, n) => run(`${userId}-${n}`, { userId }))
  const [first, second] = [of(1, 6), of(2, 6)]
  const others = [...of(3, 1), ...of(4, 1)]

  expect(await Promise.race([...first, ...second])).toBe('unavailable')
  await settled()
  const lost = await Promise.all(
    [...first, ...second, ...others].map((answer) =>
      Promise.race([answer, new Promise((resolve) => setImmediate(resolve, 'waits'))]),
    ),
  )
  expect(lost.flatMap((answer, at) => (answer === 'waits' ? [] : [at]))).toEqual([5, 11])
  await heavyWork.stop()
})

test('a refusal says when to try again', async () => {
  const refused = await Promise.all(
    Array.from({ length: 7 }, () =>
      heavyWork
        .run({ userId: 1, signal: AbortSignal.timeout(50) }, () => new Promise(() => {}))
        .catch((error) => error),
    ).slice(-1),
  )
  expect(refused).toMatchObject([{ code: 'too_many_requests', retryAfterSeconds: 2 }])
})

test('a client that leaves ends its work, running or waiting, and the next begins', async () => {
  const [running, waiting] = [new AbortController(), new AbortController()]
  const first = run('first', { userId: 1, signal: running.signal })
  const second = run('second', { userId: 1, signal: waiting.signal })
  const third = run('third', { userId: 1 })
  await settled()
  waiting.abort()
  expect(await second).toBe('unavailable')
  running.abort()
  expect(await first).toBe('unavailable')
  await settled()
  expect(started).toEqual(['first', 'third'])
  end.third?.()
  expect(await third).toBe('third')
  expect(await run('late', { userId: 1, signal: running.signal })).toBe('unavailable')
})
