import { afterEach, expect, test } from 'vitest'
import { admin } from '../../test/render.tsx'
import { serve } from '../../test/server.ts'
import { call } from './client.ts'
import { endSession, startSession } from './session.ts'

afterEach(endSession)

test('[R-358] [R-360] a form goes without the JSON content type, everything else with it', async () => {
  startSession({ token: 'a-token', user: admin })
  const seen = serve({ 'POST /messages': () => undefined as never })
  const form = new FormData()
  form.set('textContent', 'Hello')
  await call('POST /messages', { body: form })
  await call('POST /messages', { body: { textContent: 'Hello' } })
  const [file, json] = seen
  expect(file?.headers.get('content-type')).toBeNull()
  expect(file?.body).toBe(form)
  expect(file?.headers.get('authorization')).toBe('Bearer a-token')
  expect(json?.headers.get('content-type')).toBe('application/json')
  expect(json?.body).toEqual({ textContent: 'Hello' })
})

test('[R-358] without a session no token is sent', async () => {
  const seen = serve({ 'GET /auth/options': () => ({ selfRegistration: true }) })
  await call('GET /auth/options', {})
  expect(seen[0]?.headers.get('authorization')).toBeNull()
})
