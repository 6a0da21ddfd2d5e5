import { expect, test } from 'vitest'
import { call, useSimulator } from '../test/client.ts'
import { startSimulator } from './index.ts'

const simulator = useSimulator()

test.each([
  ['no token', '', 401, 'need channel authorization'],
  ['an unknown token', 'abc', 404, 'channel not found'],
  ['a token that begins with test_unknown', 'test_unknown_1', 404, 'channel not found'],
])('%s is refused', async (_name, token, status, message) => {
  const answer = await simulator.call(token, 'GET /health')
  expect(answer.status).toBe(status)
  expect(answer.body).toEqual({ error: { code: status, message } })
})

test('an unknown path is 404, and a known path with another method is 405', async () => {
  expect((await simulator.call('test_a', 'GET /nowhere')).status).toBe(404)
  expect((await simulator.call('test_a', 'PUT /groups')).status).toBe(405)
  expect((await simulator.call('test_a', 'GET /messages/list/a/b')).status).toBe(404)
})

test('invalid JSON is 400 with a nested error body', async () => {
  const response = await fetch(`${simulator.url}/messages/text`, {
    method: 'POST',
    headers: { authorization: `Bearer ${simulator.linked()}`, 'content-type': 'application/json' },
    body: '{"to":',
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: 400 } })
})

test('a path without the path key is 404, control included', async () => {
  await using keyed = await startWithKey('k3y')
  const { origin } = new URL(keyed.url)
  expect(keyed.url).toBe(`${origin}/k3y`)
  expect((await call(keyed.url, 'test_linked', 'GET /health')).status).toBe(200)
  expect((await call(keyed.url, '', 'GET /_control/ledger')).status).toBe(200)
  for (const path of ['/health', '/_control/ledger', '/other/health', '/k3yhealth']) {
    expect((await call(origin, 'test_linked', `GET ${path}`)).status).toBe(404)
  }
})

test('a start on a taken port rejects', async () => {
  const port = Number(new URL(simulator.url).port)
  await expect(startSimulator({ port })).rejects.toThrow('EADDRINUSE')
})

test('a close drops waiting clients and records nothing more', async () => {
  const { url, faults, ledger, close } = await startSimulator()
  faults.add({ kind: 'slow', delayMs: 60_000 })
  const answer = call(url, 'test_linked', 'POST /messages/text', { to: '84901234567', body: 'x' })
  const lost = expect(answer).rejects.toThrow('fetch failed')
  await expect.poll(() => faults.list()[0]?.hits).toBe(1)
  await close()
  await lost
  expect(ledger.list()).toEqual([])
})

async function startWithKey(pathKey: string) {
  const started = await startSimulator({ pathKey })
  return { url: started.url, [Symbol.asyncDispose]: () => started.close() }
}
