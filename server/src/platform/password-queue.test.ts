import { beforeEach, expect, test } from 'vitest'
import { inTurn } from './password-queue.ts'

/** The names of the pieces of work that have started, in their order, and for each a function that ends it. */
let started: string[]
let end: Record<string, () => void>
beforeEach(() => {
  started = []
  end = {}
})

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Asks for work that lasts until `end[name]`. Resolves to its name, or to the code of the refusal. */
const ask = (name: string, user: string, { address = `of ${user}`, isKnown = false } = {}) =>
  inTurn({ user, address, isKnown }, async () => {
    started.push(name)
    await new Promise<void>((resolve) => {
      end[name] = resolve
    })
    return name
  }).catch((error) => error.code)

const askOften = (count: number, user: (n: number) => string, address: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => ask(`${user(n)} ${n}`, user(n), { address: address(n) }))

/** Ends what runs, again and again, until nothing runs. */
async function endAll() {
  for (await settled(); Object.keys(end).length > 0; await settled()) {
    const running = Object.values(end)
    end = {}
    for (const finish of running) finish()
  }
}

//
test('a user has one check at a time, so that the next user does not wait', async () => {
  const answers = askOften(
    4,
    () => 'lan',
    () => 'a',
  )
  answers.push(ask('minh', 'minh', { address: 'a' }))
  await settled()
  expect(started).toEqual(['lan 0', 'minh'])

  await endAll()
  expect(await Promise.all(answers)).toEqual(['lan 0', 'lan 1', 'lan 2', 'lan 3', 'minh'])
})

//
test('five checks of a user wait, twenty of an address and a hundred in all; more are refused', async () => {
  const ofUser = askOften(
    7,
    () => 'lan',
    (n) => `a${n}`,
  )
  expect(await ofUser[6]).toBe('too_many_requests')
  const ofAddress = askOften(
    22,
    (n) => `b${n}`,
    () => 'b',
  )
  expect(await ofAddress[21]).toBe('too_many_requests')
  const ofAll = askOften(
    76,
    (n) => `c${n}`,
    (n) => `c${n}`,
  )
  expect(await ofAll[75]).toBe('too_many_requests')
  const known = ask('known', 'known', { isKnown: true })

  await endAll()
  expect(started).toHaveLength(1 + 5 + 21 + 75 + 1)
  expect(await known).toBe('known')
})

//
test('of many addresses each has its turn, and a known browser is first', async () => {
  const answers = [ask('x', 'x'), ask('y', 'y')]
  answers.push(
    ...askOften(
      5,
      (n) => `b${n}`,
      () => 'b',
    ),
    ask('c', 'c'),
    ask('known', 'k', { isKnown: true }),
  )

  await endAll()
  expect(started.slice(2, 6)).toEqual(['known', 'b0 0', 'c', 'b1 1'])
  await Promise.all(answers)
})

test('of a customer’s IPv6 network all addresses are one', async () => {
  const answers = [ask('x', 'x'), ask('y', 'y')]
  answers.push(
    ...askOften(
      21,
      (n) => `d${n}`,
      (n) => `2001:db8:1:2::${n + 1}`,
    ),
  )
  expect(await answers[22]).toBe('too_many_requests')
  await endAll()
  await Promise.all(answers)
})
