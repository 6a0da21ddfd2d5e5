import { expect, test } from 'vitest'
import { mistakesOf } from './check-answer.ts'
import type { FuzzRequest } from './requests.ts'
import type { Answer } from './send.ts'

// Without these, a check that never fires would look like a server without mistakes.

const caller = {
  name: 'member',
  userId: 1,
  username: 'lan',
  isAdmin: false,
  isKey: false,
  headers: () => ({}),
}
const operation = {
  name: 'GET /api/instances/{id}',
  method: 'GET',
  path: '/api/instances/{id}',
  isPublic: false,
  allowsApiKeys: false,
  query: {},
  body: null,
  takesForms: false,
}
const request: FuzzRequest = { operation, caller, url: '/api/instances/1', headers: {}, payload: null }
const admin = { ...request, caller: { ...caller, isAdmin: true } }
const program = { ...request, caller: { ...caller, name: 'key', isKey: true } }
const locked = { ...request, caller: { ...caller, name: 'locked' } }

const problem = (code: string, error = 'A sentence.') => JSON.stringify({ code, error })
const fixture = { secretTexts: ['the-webhook-key'] } as Parameters<typeof mistakesOf>[2] // the checks read only this
const mistakes = (fuzz: FuzzRequest, status: number, text: string, more: Partial<Answer> = {}) =>
  mistakesOf(
    fuzz,
    { status, text, contentType: 'application/json', hasReachedHandler: true, ms: 1, ...more },
    fixture,
  )

test.each([
  ['an internal error', request, 500, problem('internal')],
  ['another 5xx than our refusals', request, 502, problem('not_found')],
  ['an unknown problem', request, 400, problem('FST_ERR_BAD_URL')],
  ['an error as text', request, 404, 'Not Found'],
  ['a token', admin, 200, '{"whapiToken":"test_s3cr3t_1"}'],
  ['the key of a webhook', admin, 200, '{"url":"the-webhook-key"}'],
  ['a stack', request, 400, problem('invalid_input', 'Error at async run (server/src/app.ts:12)')],
  ['data of a foreign instance', request, 200, '{"name":"f0reign 1"}'],
  ['success for a locked user', locked, 200, '{}'],
  ['a call by a key that is closed to keys', program, 200, '{}'],
  ['an API key', admin, 200, `{"secret":"sendroom_${'x'.repeat(49)}"}`],
])('%s is a mistake', (_, fuzz, status, text) => {
  expect(mistakes(fuzz, status, text)).toHaveLength(1)
})

test.each([
  ['data', request, 200, '{"name":"Own 1"}'],
  ['a refusal', request, 403, problem('forbidden')],
  ['a provider that fails', request, 502, problem('provider_failed')],
  [
    'an instance with the end of its token for an Admin',
    admin,
    200,
    '{"name":"f0reign 1","whapiToken":"••••r3t_1"}',
  ],
])('%s is no mistake', (_, fuzz, status, text) => {
  expect(mistakes(fuzz, status, text)).toEqual([])
})
