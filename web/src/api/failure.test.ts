import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { serve } from '../../test/server.ts'
import { showLanguage } from '../i18n/i18n.ts'
import { currentToasts } from '../ui/toasts.ts'
import { Failure, failureText, fieldTexts, reportFailure } from './failure.ts'

beforeAll(async () => {
  serve({})
  for (const language of ['vi', 'cn', 'en'] as const) await showLanguage(language)
})
beforeEach(() => void vi.useFakeTimers())
// The timers remove the toasts.
afterEach(() => void vi.runAllTimers())

test.each([
  [
    //
    'a 400 with fields shows one line per field',
    new Failure(400, {
      code: 'invalid_input',
      error: { name: 'x', whapiToken: 'y' },
      fields: { name: 'ACCOUNT_FORM.NAME_INVALID', whapiToken: 'ACCOUNT_FORM.TOKEN_INVALID' },
    }),
    'Enter a name of at most 100 characters.\nEnter a token of at most 200 characters.',
  ],
  [
    //
    'a 400 with a code shows its sentence and values',
    new Failure(400, { code: 'phone_unreadable', error: 'x', params: { numbers: 'abc, 12' } }),
    'These are not phone numbers: abc, 12.',
  ],
  [
    //
    'a 400 with a list that is too long for its sentence',
    new Failure(400, {
      code: 'phone_unreadable',
      error: 'x',
      params: { numbers: 'abc, 12', more: 1980, andMore: ' and 1980 more' },
    }),
    'These are not phone numbers: abc, 12 and 1,980 more.',
  ],
  //
  ['a 400 with a text and no code', new Failure(400, { error: 'Not so' }), 'Not so'],
  [
    //
    'a 400 with texts and no code',
    new Failure(400, { error: { name: 'Too long', role: 'Unknown' } }),
    'Too long\nUnknown',
  ],
  //
  ['a 400 without a body', new Failure(400), 'Bad Request'],
  [
    //
    'a 403',
    new Failure(403, { code: 'forbidden', error: 'x' }),
    "Forbidden. You don't have permission to access this resource.",
  ],
  //
  ['a 404', new Failure(404, { code: 'not_found', error: 'x' }), 'Resource not found.'],
  //
  ['a 409', new Failure(409, { code: 'own_user', error: 'x' }), 'You can’t delete yourself.'],
  //
  ['a 500 with a text', new Failure(500, { error: 'The disk is full.' }), 'The disk is full.'],
  //
  ['a 500 without a body', new Failure(500), 'Internal Server Error. Please try again later.'],
  //
  ['an error of a proxy', new Failure(504), 'Server error (504).'],
  //
  ['an error of a proxy with a text', new Failure(502, { error: 'No upstream' }), '502: No upstream'],
  //
  ['an error of the client', new RangeError('Out of range'), 'Out of range'],
  //
  ['something else', 'oops', 'An unknown error occurred!'],
])('%s', (_, error, words) => {
  expect(failureText(error)).toBe(words)
})

test.each([
  ['vi', 'Nhà cung cấp WhatsApp không thực hiện được: Nhà cung cấp báo lỗi (500).'],
  ['cn', 'WhatsApp 服务商无法完成此操作：服务商返回错误（500）。'],
] as const)('the reason of a provider failure is translated too: %s', async (language, words) => {
  await showLanguage(language)
  const params = {
    why: 'provider_error',
    status: 500,
    reason: 'The provider reported an error (500).',
  }
  expect(failureText(new Failure(502, { code: 'provider_failed', error: 'x', params }))).toBe(words)
  await showLanguage('en')
})

// R-2255
test('names that the server separates by commas are separated as the language does', async () => {
  const params = { numbers: 'abc, 12', more: 3, andMore: ' and 3 more' }
  const unreadable = new Failure(400, { code: 'phone_unreadable', error: 'x', params })
  await showLanguage('cn')
  expect(failureText(unreadable)).toBe('以下内容不是有效的手机号：abc、12 及另外 3 个。')
  await showLanguage('vi')
  expect(failureText(unreadable)).toContain('abc, 12')
  await showLanguage('en')
})

test('a reason that this version of the app does not know is shown in the server’s words', () => {
  const params = { why: 'from_a_later_version', reason: 'The provider sleeps.' }
  expect(failureText(new Failure(502, { code: 'provider_failed', error: 'x', params }))).toBe(
    'The WhatsApp provider could not do this: The provider sleeps.',
  )
})

//
test('a failed call shows one toast, with the screen’s own title if it has one', () => {
  reportFailure(new Failure(500), 'TOAST.INSTANCE_CREATE_FAILED')
  expect(currentToasts()).toMatchObject([
    { type: 'error', title: '', msg: 'Failed to create instance.', timeout: 5000 },
  ])
})

//
test('a specific refusal is shown below the screen’s title', () => {
  reportFailure(new Failure(409, { code: 'token_taken', error: 'x' }), 'TOAST.INSTANCE_CREATE_FAILED')
  expect(currentToasts()).toMatchObject([
    { title: 'Failed to create instance.', msg: 'Another account uses this token.' },
  ])
})

//
test('an unreachable server is mentioned below the screen’s title', () => {
  reportFailure(new Failure(0), 'TOAST.INSTANCE_CREATE_FAILED')
  expect(currentToasts()).toMatchObject([
    {
      title: 'Failed to create instance.',
      msg: 'No connection to the server. Check your network.',
    },
  ])
})

test('an aborted call shows nothing', () => {
  reportFailure(new DOMException('Aborted', 'AbortError'))
  expect(currentToasts()).toEqual([])
})

test('a refusal is assigned to its field', () => {
  expect(fieldTexts(new Failure(409, { code: 'username_taken', error: 'x' }))).toEqual({
    username: 'This username is taken. Choose another.',
  })
  expect(
    fieldTexts(new Failure(400, { code: 'invalid_input', fields: { email: 'USER_FORM.EMAIL_INVALID' } })),
  ).toEqual({ email: 'Enter a valid email address of at most 200 characters.' })
})

//
test.each(['constructor', 'toString', '__proto__'])('the unknown code %s belongs to no field', (code) => {
  expect(fieldTexts(new Failure(409, { code: code as never, error: 'x' }))).toEqual({})
})
