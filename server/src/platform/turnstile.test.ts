import { beforeEach, expect, test } from 'vitest'
import { type Entry, openTurnstile, type Turnstile } from './turnstile.ts'

let turnstile: Turnstile
/** The names of the started pieces of work, in their order, and for each a function that ends it. */
let started: string[]
let end: Record<string, () => void>
beforeEach(() => {
  turnstile = openTurnstile({ ofUser: 1, inAll: 2, waitingOfUser: 5, waitingInAll: 10, retrySeconds: 2 })
  started = []
  end = {}
})

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Runs work that lasts until `end[name]`. Resolves to its name, or to the refusal's code. */
const run = (name: string, userId: number, entry: Partial<Entry> = {}): Promise<string> =>
  turnstile
    .run({ userId, ...entry }, () => {
      started.push(name)
      return new Promise<string>((resolve) => {
        end[name] = () => resolve(name)
      })
    })
    .catch(({ code }) => code)

const runMany = (userId: number, count: number) =>
  Array.from({ length: count }, (_, n) => run(`${userId}-${n}`, userId))

/** Ends the pieces of work in this order, each when it runs. */
async function endInTurn(...names: string[]) {
  for (const name of names) {
    await settled()
    end[name]?.()
  }
}

test('a user has one piece of work at a time, all users together have two', async () => {
  const work = [run('a1', 1), run('a2', 1), run('b', 2), run('c', 3)]
  await settled()
  expect(started).toEqual(['a1', 'b'])
  await endInTurn('b')
  await settled()
  expect(started).toEqual(['a1', 'b', 'c'])
  await endInTurn('a1')
  await settled()
  expect(started).toEqual(['a1', 'b', 'c', 'a2'])
  await endInTurn('c', 'a2')
  expect(await Promise.all(work)).toEqual(['a1', 'a2', 'b', 'c'])
})

test('users take turns: one with many pieces of work delays another by one', async () => {
  const work = [...runMany(1, 3), run('b', 2), run('c', 3)]
  await endInTurn('1-0', 'b', 'c', '1-1', '1-2')
  await Promise.all(work)
  expect(started).toEqual(['1-0', 'b', 'c', '1-1', '1-2'])
})

test('a newer preview of a user replaces the one that waits, and nothing else', async () => {
  const preview = (name: string, userId: number) => run(name, userId, { replaces: 'preview' })
  const work = [preview('first', 1), run('other', 2), run('export', 1), preview('of another', 2)]
  const older = preview('older', 1)
  work.push(preview('newer', 1))

  expect(await older).toBe('unavailable')
  const names = ['first', 'other', 'export', 'of another', 'newer']
  await endInTurn(...names)
  expect(await Promise.all(work)).toEqual(names)
  expect(started).not.toContain('older')
})

test('a user may let five pieces of work wait, and all users together ten', async () => {
  expect(await runMany(1, 7)[6]).toBe('too_many_requests')
  const second = runMany(2, 6)
  run('3', 3)
  expect(await second[5]).toBe('unavailable')
  await endInTurn('1-0', '2-0')
  await settled()
  expect(started.slice(2)).toContain('3')
})

test('when ten wait, two users do not keep out a third: whoever has the most waiting loses the newest', async () => {
  const work = [...runMany(1, 6), ...runMany(2, 6), run('3', 3), run('4', 4)]

  const lost = await Promise.all(
    work.map((answer) =>
      Promise.race([
        answer,
        settled()
          .then(settled)
          .then(() => 'waits'),
      ]),
    ),
  )
  expect(lost.flatMap((answer, at) => (answer === 'waits' ? [] : [at]))).toEqual([5, 11])
})

test('a refusal says when to try again', async () => {
  const refused = Array.from({ length: 7 }, () =>
    turnstile.run({ userId: 1 }, () => new Promise(() => {})).catch((error) => error),
  )
  expect(await refused[6]).toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 2 })
})

test('who leaves while waiting keeps nobody from the turn', async () => {
  const leaving = new AbortController()
  const work = [run('a', 1), run('b', 2), run('gone', 3, { signal: leaving.signal }), run('d', 4)]
  leaving.abort()
  expect(await work[2]).toBe('unavailable')
  await endInTurn('a')
  await settled()
  expect(started).toEqual(['a', 'b', 'd'])
  expect(await run('late', 3, { signal: leaving.signal })).toBe('unavailable')
})
