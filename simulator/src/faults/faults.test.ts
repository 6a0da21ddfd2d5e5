import { afterEach, expect, test } from 'vitest'
import { useSimulator } from '../../test/client.ts'
import type { FaultRule } from './rules.ts'

const simulator = useSimulator()
const form = { to: '84901234567', body: 'x' }
const send = (token: string) => simulator.call(token, 'POST /messages/text', form)
const recorded = (token: string) => simulator.ledger.list(token).length

afterEach(() => simulator.faults.clear())

test.each<[Partial<FaultRule> & { status: number; retryAfter?: number }, unknown]>([
  [{ status: 429, retryAfter: 7 }, { error: { code: 429, message: 'forced 429' } }],
  [{ status: 402 }, { code: 402, error: 'forced 402' }],
  [
    { status: 403, flat: true },
    { code: 403, error: 'forced 403' },
  ],
  [{ status: 500, body: { message: 'odd' } }, { message: 'odd' }],
  [{ status: 503, body: '<h1>Bad gateway</h1>' }, '<h1>Bad gateway</h1>'],
])('a forced status %j records nothing', async (effect, body) => {
  const token = simulator.linked()
  simulator.faults.add({ ...effect, kind: 'status', token })
  const answer = await send(token)
  expect(answer.status).toBe(effect.status)
  expect(answer.body).toEqual(body)
  expect(answer.headers.get('retry-after')).toBe(effect.retryAfter ? '7' : null)
  expect(recorded(token)).toBe(0)
})

test.each([
  ['malformed', 1, '{"sent":true,"message":{"id":"'],
  ['empty', 1, ''],
  ['no-id', 1, '{"sent":true}'],
  ['not-sent', 0, '{"sent":false}'],
] as const)('%s answers 200 and records %i', async (kind, count, text) => {
  const token = simulator.linked()
  simulator.faults.add({ kind, token })
  const response = await fetch(`${simulator.url}/messages/text`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(form),
  })
  expect([response.status, await response.text()]).toEqual([200, text])
  expect(recorded(token)).toBe(count)
})

test.each([
  ['drop-before', 0],
  ['accept-then-drop', 1],
] as const)('%s closes the connection and records %i', async (kind, count) => {
  const token = simulator.linked()
  simulator.faults.add({ kind, token, times: 1 })
  await expect(send(token)).rejects.toThrow('fetch failed')
  expect(recorded(token)).toBe(count)
  expect((await send(token)).status).toBe(200)
})

test('accept-then-late records only after the client hangs up', async () => {
  const token = simulator.linked()
  simulator.faults.add({ kind: 'accept-then-late', token })
  const client = new AbortController()
  const answer = fetch(`${simulator.url}/messages/text`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(form),
    signal: client.signal,
  })
  await expect.poll(() => simulator.faults.list()[0]?.hits).toBe(1)
  expect(recorded(token)).toBe(0)
  client.abort()
  await expect(answer).rejects.toThrow('aborted')
  await expect.poll(() => recorded(token)).toBe(1)
})

test('a slow answer arrives after its delay', async () => {
  const token = simulator.linked()
  simulator.faults.add({ kind: 'slow', delayMs: 80, token })
  const before = performance.now()
  expect((await send(token)).status).toBe(200)
  expect(performance.now() - before).toBeGreaterThan(75)
})

test('a fault affects only the requests that match', async () => {
  const [token, other] = [simulator.linked(), simulator.linked()]
  simulator.faults.add({
    kind: 'status',
    status: 503,
    token,
    method: 'post',
    path: '^/messages/text$',
    to: form.to,
  })
  expect((await send(token)).status).toBe(503)
  expect((await send(other)).status).toBe(200)
  expect((await simulator.call(token, 'POST /messages/text', { ...form, to: '84901234568' })).status).toBe(
    200,
  )
  expect((await simulator.call(token, 'GET /groups?count=1')).status).toBe(200)
})

test('a fault on a chat affects the list of that chat too', async () => {
  const token = simulator.linked()
  simulator.faults.add({ kind: 'status', status: 500, token, to: form.to })
  expect((await simulator.call(token, 'GET /messages/list/84901234567%40s.whatsapp.net')).status).toBe(500)
})

test('a fault skips some requests, affects some, and ends', async () => {
  const token = simulator.linked()
  simulator.faults.add({ kind: 'status', status: 500, token, skip: 1, times: 2 })
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await send(token)).status)
  expect(statuses).toEqual([200, 500, 500, 200])
  expect(simulator.faults.list()).toEqual([])
})

test('faults are added and removed over control', async () => {
  const token = simulator.linked()
  const { id } = (await simulator.control('POST /faults', { kind: 'status', status: 401, token })).body
  expect((await send(token)).status).toBe(401)
  const { faults, met } = (await simulator.control('GET /faults')).body
  expect(faults).toEqual([{ id, kind: 'status', status: 401, token, hits: 1 }])
  expect(met['status 401']).toBe(1)
  expect((await simulator.control(`DELETE /faults/${id}`)).status).toBe(200)
  expect((await send(token)).status).toBe(200)
  expect((await simulator.control(`DELETE /faults/${id}`)).status).toBe(404)
})

test.each([
  [{ kind: 'explode' }],
  [{ kind: 'status' }],
  [{ kind: 'slow' }],
  [{ kind: 'empty', path: '(' }],
  [{ kind: 'empty', times: 'many' }],
])('the invalid fault %j is refused', async (fault) => {
  expect((await simulator.control('POST /faults', fault)).status).toBe(400)
  expect(simulator.faults.list()).toEqual([])
})
