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
const caller = { id: 1, apiKey: null }
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Runs work that lasts until `end[name]`. Resolves to its name, or to the refusal's code. */
async function run(name: string, request: Partial<HeavyRequest> = {}): Promise<string> {
  const result = heavyWork.run({ caller, signal: never, ...request }, ({ signal }) => {
    started.push(name)
    return new Promise<string>((resolve, reject) => {
      end[name] = (error) => (error ? reject(error) : resolve(name))
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  })
  return result.catch((error) => error.code ?? error.message)
}

test('work that fails gives its error and frees its place', async () => {
  const failing = run('a1')
  const next = run('a2')
  await settled()
  end.a1?.(new Error('broken'))
  expect(await failing).toBe('broken')
  await settled()
  end.a2?.()
  expect(await next).toBe('a2')
})

test('a client that leaves ends its work, running or waiting, and the next begins', async () => {
  const [running, waiting] = [new AbortController(), new AbortController()]
  const first = run('first', { signal: running.signal })
  const second = run('second', { signal: waiting.signal })
  const third = run('third')
  await settled()
  waiting.abort()
  expect(await second).toBe('unavailable')
  running.abort()
  expect(await first).toBe('unavailable')
  await settled()
  expect(started).toEqual(['first', 'third'])
  end.third?.()
  expect(await third).toBe('third')
  expect(await run('late', { signal: running.signal })).toBe('unavailable')
})

// R-2214
test('the API keys of a user wait for each other, and the user for none of them', async () => {
  const apiKey = { name: 'Shop', isUsableHere: true, wasUsedLately: false }
  const keyOf = (id: number) => ({ caller: { ...caller, apiKey: { ...apiKey, id } } })
  const byKeys = [run('first key', keyOf(7)), run('second key', keyOf(8))]
  const own = run('own')
  await settled()
  expect(started).toEqual(['first key', 'own'])
  end.own?.()
  expect(await own).toBe('own')
  end['first key']?.()
  await settled()
  end['second key']?.()
  expect(await Promise.all(byKeys)).toEqual(['first key', 'second key'])
})
