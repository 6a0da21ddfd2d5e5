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
