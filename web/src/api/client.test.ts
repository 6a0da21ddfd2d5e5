import { afterEach, expect, test, vi } from 'vitest'
import { admin } from '../../test/render.tsx'
import { refuse, serve } from '../../test/server.ts'
import { call } from './client.ts'
import { endSession, startSession } from './session.ts'

afterEach(endSession)

//
test('JSON bodies have a JSON content type, form data has none', async () => {
  startSession({ token: 'a-token', user: admin })
  const requests = serve({ 'POST /messages': () => undefined as never })
  const form = new FormData()
  form.set('textContent', 'Hello')
  await call('POST /messages', { body: form })
  await call('POST /messages', { body: { textContent: 'Hello' } })
  const [file, json] = requests
  expect(file?.headers.get('content-type')).toBeNull()
  expect(file?.body).toBe(form)
  expect(file?.headers.get('authorization')).toBe('Bearer a-token')
  expect(json?.headers.get('content-type')).toBe('application/json')
  expect(json?.body).toEqual({ textContent: 'Hello' })
})

// R-1901
test('a page that nobody has touched for a minute says so', async () => {
  const requests = serve({ 'GET /auth/me': () => admin })
  await call('GET /auth/me', {})
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000)
  await call('GET /auth/me', {})
  window.dispatchEvent(new Event('keydown'))
  await call('GET /auth/me', {})
  // The clock of the computer is set right.
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000)
  await call('GET /auth/me', {})
  expect(requests.map(({ headers }) => headers.get('x-idle'))).toEqual([null, '1', null, '1'])
  vi.restoreAllMocks()
})

//
test('no token is sent without a session', async () => {
  const requests = serve({ 'GET /auth/options': () => ({ selfRegistration: true, passwordMin: 6 }) })
  await call('GET /auth/options', {})
  expect(requests[0]?.headers.get('authorization')).toBeNull()
})

test('an error page of a proxy counts as no answer, but an error of the server does not', async () => {
  const page = { status: 502, headers: { 'content-type': 'text/html' } }
  serve({
    'GET /auth/options': () => new Response('<h1>502 Bad Gateway</h1>', page),
    'GET /auth/me': () => refuse(502, 'provider_failed'),
  })
  await expect(call('GET /auth/options', {})).rejects.toMatchObject({ status: 0 })
  await expect(call('GET /auth/me', {})).rejects.toMatchObject({ status: 502, code: 'provider_failed' })
})
