import { expect, test } from 'vitest'
import { useSimulator } from '../../test/client.ts'

const simulator = useSimulator()
const hook = { url: 'https://app.example/hook', mode: 'body', events: [{ type: 'messages', method: 'post' }] }

test('a patch keeps missing settings and replaces the webhooks as a whole', async () => {
  const token = simulator.unlinked()
  await simulator.call(token, 'PATCH /settings', { callback_persist: false, webhooks: [hook, hook] })
  const { body } = await simulator.call(token, 'PATCH /settings', { webhooks: [hook] })
  expect(body.changes).toEqual(['webhooks'])
  expect(body.before_update.webhooks).toHaveLength(2)
  expect(body.after_update).toMatchObject({ callback_persist: false, webhooks: [hook] })
  expect((await simulator.call(token, 'GET /settings')).body).toEqual(body.after_update)
})

test('a second reset of the settings is 409', async () => {
  const token = simulator.unlinked()
  await simulator.call(token, 'PATCH /settings', { webhooks: [hook] })
  expect((await simulator.call(token, 'DELETE /settings')).body).toEqual({ success: true })
  expect((await simulator.call(token, 'GET /settings')).body.webhooks).toEqual([])
  expect((await simulator.call(token, 'DELETE /settings')).status).toBe(409)
})

const headers = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`x-${i}`, 'y']))
test.each([
  [{ callback_backoff_delay_ms: 10 }],
  [{ webhooks: {} }],
  [{ webhooks: [{ ...hook, url: 'ftp://x' }] }],
  [{ webhooks: [{ ...hook, mode: 'shout' }] }],
  [{ webhooks: [{ ...hook, headers }] }],
])('the settings %j are 400', async (settings) => {
  expect((await simulator.call(simulator.unlinked(), 'PATCH /settings', settings)).status).toBe(400)
})
