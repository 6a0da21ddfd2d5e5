import { expect, onTestFinished, test, vi } from 'vitest'
import { type Body, useSimulator } from '../../test/client.ts'

const simulator = useSimulator({ linkAfterMs: 50 })

const stateOf = async (token: string) =>
  (await simulator.call(token, 'GET /health?wakeup=false')).body.status.text as string

test('a sleeping channel wakes on the first health call and ends up in QR', async () => {
  const token = simulator.unlinked()
  // INIT and LAUNCH last for 150 ms each, which a busy machine would miss.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  expect(await stateOf(token)).toBe('NOT_INIT')
  expect((await simulator.call(token, 'GET /users/login?wakeup=false')).body).toEqual({ status: 'WAITING' })
  expect((await simulator.call(token, 'GET /health')).body.status).toEqual({ code: 1, text: 'INIT' })
  vi.advanceTimersByTime(150)
  expect(await stateOf(token)).toBe('LAUNCH')
  vi.advanceTimersByTime(150)
  expect(await stateOf(token)).toBe('QR')
})

test('a QR code is a PNG, and showing one links the channel soon after', async () => {
  const token = simulator.unlinked()
  let shown: Body
  await expect
    .poll(async () => {
      shown = (await simulator.call(token, 'GET /users/login')).body
      return shown.status
    })
    .toBe('OK')
  const bytes = Buffer.from(shown.base64.replace('data:image/png;base64,', ''), 'base64')
  expect(bytes.toString('latin1', 1, 4)).toBe('PNG')
  expect(shown.expire).toBeGreaterThan(0)
  await expect.poll(() => stateOf(token)).toBe('AUTH')
  const health = await simulator.call(token, 'GET /health')
  expect(health.body.user.id).toMatch(/^8490\d{7}$/)
  for (const path of [
    '/users/login',
    '/users/login/image',
    '/users/login/rowdata',
    '/users/login/84901234567',
  ]) {
    expect((await simulator.call(token, `GET ${path}`)).status).toBe(409)
  }
})

test('a pairing code links the channel with the requested number', async () => {
  const token = simulator.unlinked()
  expect((await simulator.call(token, 'GET /users/login/12ab')).status).toBe(400)
  const { body } = await simulator.call(token, 'GET /users/login/84907654321')
  expect(body.code).toMatch(/^[1-9A-Z]{4}-[1-9A-Z]{4}$/)
  await expect
    .poll(async () => (await simulator.call(token, 'GET /health')).body.user)
    .toMatchObject({ id: '84907654321' })
})

test('the paths image and rowdata are not phone numbers', async () => {
  const token = simulator.unlinked()
  await simulator.control('POST /channels', { token, state: 'QR', linkAfterMs: 60_000 })
  expect((await simulator.call(token, 'GET /users/login/image')).headers.get('content-type')).toBe(
    'image/png',
  )
  expect((await simulator.call(token, 'GET /users/login/rowdata')).body).toMatchObject({ status: 'OK' })
})

test('after a logout every session call is 401, and a second logout is 409', async () => {
  const token = simulator.linked()
  expect((await simulator.call(token, 'GET /users/profile')).status).toBe(200)
  expect((await simulator.call(token, 'POST /users/logout')).body).toEqual({ success: true })
  expect((await simulator.call(token, 'POST /users/logout')).status).toBe(409)
  for (const [route, body] of [
    ['GET /users/profile'],
    ['GET /groups'],
    ['GET /contacts'],
    ['POST /contacts', { contacts: [] }],
    ['POST /media', { media: 'AAAA' }],
    ['POST /messages/text', { to: '84901234567', body: 'x' }],
    ['GET /messages/list'],
  ] as const) {
    const answer = await simulator.call(token, route, body)
    expect([route, answer.status, answer.body.error.message]).toEqual([
      route,
      401,
      'need channel authorization',
    ])
  }
})
