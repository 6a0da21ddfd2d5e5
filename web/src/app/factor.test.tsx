import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { admin, member, renderApp } from '../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../test/server.ts'
import '../features/session/security-page.tsx'
import '../features/session/factor-gate.tsx'
import '../features/session/factor-rule-page.tsx'
import '../features/session/code-step.tsx'
import '../features/session/confirm-password-modal.tsx'
import '../features/users/user-form-page.tsx'
import '../ui/confirm-dialog.tsx'

const qr = 'data:image/png;base64,iVBORw0KGgo='
const recoveryCodes = Array.from({ length: 10 }, (_, n) => `code-${n}`)
const withFactor = { ...member, hasFactor: true }
const state = { hasFactor: false, recoveryCodesLeft: 0, isRequired: false, since: null }

/** A server on which the set-up works with the code 123456. */
const setUpAnswers = (more: Answers = {}): Answers => ({
  'GET /auth/factor': () => state,
  'POST /auth/factor': () => ({ secret: 'ABCDEFGHIJKLMNOP', qr }),
  'POST /auth/factor/finish': ({ body }) =>
    (body as { code: string }).code === '123456'
      ? { recoveryCodes }
      : refuse(400, 'invalid_input', { fields: { code: 'LOGIN.CODE_WRONG' } }),
  'GET /auth/me': () => withFactor,
  ...more,
})

// R-1933
test('the sign-in asks for a code after the password, and says what is wrong with one', async () => {
  const { person, router, requests } = renderApp({
    path: '/login',
    user: null,
    answers: {
      'POST /auth/login': () => refuse(401, 'factor_required', { params: { ticket: 'the-ticket' } }),
      'POST /auth/login/code': ({ body }) =>
        (body as { code: string }).code === '123456'
          ? { token: 'a-token', user: withFactor }
          : refuse(401, 'code_wrong'),
    },
  })
  await person.type(await screen.findByLabelText(/^Username/), 'lan')
  await person.type(screen.getByLabelText('Password'), 'secret-1{Enter}')

  const code = await screen.findByLabelText('Code')
  expect(screen.queryByRole('alert')).toBeNull()
  await person.type(code, '000000{Enter}')
  expect((await screen.findByRole('alert')).textContent).toContain('This code is wrong')
  await person.clear(code)
  await person.type(code, '123456{Enter}')

  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
  expect(requests.find(({ name }) => name === 'POST /auth/login/code')?.body).toEqual({
    ticket: 'the-ticket',
    code: '000000',
    language: 'en',
  })
})

// R-1933
test('a ticket that is too old leads back to the password', async () => {
  const { person } = renderApp({
    path: '/login',
    user: null,
    answers: {
      'POST /auth/login': () => refuse(401, 'factor_required', { params: { ticket: 'old' } }),
      'POST /auth/login/code': () => refuse(401, 'ticket_invalid'),
    },
  })
  await person.type(await screen.findByLabelText(/^Username/), 'lan')
  await person.type(screen.getByLabelText('Password'), 'secret-1{Enter}')
  await person.type(await screen.findByLabelText('Code'), '123456{Enter}')
  expect(await screen.findByLabelText('Password')).toBeTruthy()
  expect(screen.getByRole('alert').textContent).toContain('Sign in again')
})

// R-1934
test('a factor is set up with a QR code, and shows the recovery codes once', async () => {
  const { person } = renderApp({ path: '/security', user: member, answers: setUpAnswers() })
  await person.click(await screen.findByRole('button', { name: 'Set up' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Set up the second factor' }))
  expect((await dialog.findByRole<HTMLImageElement>('img', { name: /^QR code/ })).src).toBe(qr)
  expect(dialog.getByText('ABCD EFGH IJKL MNOP')).toBeTruthy()
  const code = dialog.getByLabelText(/^The code that the app shows/)

  await person.type(code, '000000{Enter}')
  expect(await dialog.findByText(/^This code is wrong/)).toBeTruthy()
  await person.clear(code)
  await person.type(code, '123456{Enter}')

  expect(
    within(await dialog.findByRole('list'))
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual(recoveryCodes)
  await person.click(dialog.getByRole('button', { name: 'I have saved them' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

// R-1935
test('whoever has to set up a factor sees nothing else, and then the page', async () => {
  let isSetUp = false
  const { person, requests } = renderApp({
    path: '/groups',
    user: { ...member, needsFactor: true },
    answers: setUpAnswers({
      'GET /groups': () => pageOf([]),
      'GET /auth/me': () => (isSetUp ? withFactor : { ...member, needsFactor: true }),
      'POST /auth/factor/finish': () => {
        isSetUp = true
        return { recoveryCodes }
      },
    }),
  })
  await screen.findByRole('heading', { name: 'Set up the second factor' })
  expect(screen.queryByRole('navigation')).toBeNull()
  expect(requests.map(({ name }) => name)).toEqual(['POST /auth/factor'])
  await person.type(await screen.findByLabelText(/^The code that the app shows/), '123456{Enter}')
  await person.click(await screen.findByRole('button', { name: 'I have saved them' }))
  expect(await screen.findByRole('heading', { name: 'Groups' })).toBeTruthy()
})

// R-1935
test('a reload leads to the page once no factor is required any more', async () => {
  const answers = setUpAnswers({ 'GET /groups': () => pageOf([]), 'GET /auth/me': () => member })
  renderApp({ path: '/groups', stored: { id: member.id, role: 'Member' }, answers })
  expect(await screen.findByRole('heading', { name: 'Groups' })).toBeTruthy()
})

// R-1935
test('a factor that becomes required in the middle shows the set-up', async () => {
  renderApp({
    path: '/groups',
    user: member,
    answers: setUpAnswers({
      'GET /groups': () => refuse(403, 'factor_setup_required'),
      'GET /auth/me': () => ({ ...member, needsFactor: true }),
    }),
  })
  expect(await screen.findByRole('heading', { name: 'Set up the second factor' })).toBeTruthy()
})

// R-1928
test('whoever has a factor enters password and code where the password is asked for again', async () => {
  let isConfirmed = false
  const { person, requests } = renderApp({
    path: '/security',
    user: withFactor,
    answers: setUpAnswers({
      'GET /auth/factor': () => ({ ...state, hasFactor: true, recoveryCodesLeft: 10 }),
      'POST /auth/factor/recovery-codes': () =>
        isConfirmed ? { recoveryCodes } : refuse(403, 'confirm_password'),
      'POST /auth/confirm': () => {
        isConfirmed = true
        return { token: 'next-token' }
      },
    }),
  })
  await person.click(await screen.findByRole('button', { name: 'New recovery codes' }))
  await person.type(await screen.findByLabelText(/^Your current password/), 'secret')
  await person.type(screen.getByLabelText(/^Code/), '123456{Enter}')
  expect(await screen.findByText('code-9')).toBeTruthy()
  expect(requests.find(({ name }) => name === 'POST /auth/confirm')?.body).toEqual({
    password: 'secret',
    code: '123456',
  })
})

/** Answers of a user with a factor, who has to enter the password before getting new recovery codes. */
const confirmedBy = (confirm: Answers['POST /auth/confirm'], more: Answers): Answers =>
  setUpAnswers({
    'GET /auth/factor': () => ({ ...state, hasFactor: true, recoveryCodesLeft: 10 }),
    'POST /auth/factor/recovery-codes': () => refuse(403, 'confirm_password'),
    'POST /auth/confirm': confirm,
    ...more,
  })

// R-1928
test('the question for the password asks for a code once another browser has set up a factor', async () => {
  const { person } = renderApp({
    path: '/security',
    user: member,
    answers: confirmedBy(
      ({ body }) =>
        (body as { code?: string }).code === '123456'
          ? { token: 'next-token' }
          : refuse(400, 'invalid_input', { fields: { code: 'LOGIN.CODE_REQUIRED' } }),
      {},
    ),
  })
  await person.click(await screen.findByRole('button', { name: 'New recovery codes' }))
  await person.type(await screen.findByLabelText(/^Your current password/), 'secret{Enter}')
  await person.type(await screen.findByLabelText(/^Code/), '123456')
  expect(screen.getByLabelText<HTMLInputElement>(/^Your current password/).value).toBe('secret')
})

// R-1928
test('whoever has removed the factor is asked for the password only', async () => {
  const { person } = renderApp({
    path: '/security',
    user: withFactor,
    answers: confirmedBy(() => ({ token: 'next-token' }), {
      'DELETE /auth/factor': () => undefined as never,
      'GET /auth/me': () => member,
    }),
  })
  await person.click(await screen.findByRole('button', { name: 'Turn off' }))
  await person.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Turn off' }))
  await screen.findByText(/turned off/i)
  await person.click(await screen.findByRole('button', { name: 'New recovery codes' }))
  await screen.findByLabelText(/^Your current password/)
  expect(screen.queryByLabelText(/^Code/)).toBeNull()
})

// R-1929
test('an Admin resets the factor of a user after a question', async () => {
  const { person, requests } = renderApp({
    path: '/users/edit/2',
    user: admin,
    answers: {
      'GET /users/:id': () => withFactor,
      'GET /instances': () => pageOf([]),
      'DELETE /users/:id/factor': () => undefined as never,
    },
  })
  await person.click(await screen.findByRole('button', { name: 'Reset second factor' }))
  const question = within(await screen.findByRole('dialog'))
  await person.click(question.getByRole('button', { name: 'Reset second factor' }))
  expect(await screen.findByText('Second factor reset.')).toBeTruthy()
  expect(requests.find(({ name }) => name.startsWith('DELETE'))?.params).toEqual({ id: '2' })
})

// R-1932
test('an Admin sets who has to have a factor, and from when on', async () => {
  const { person, requests } = renderApp({
    path: '/settings/sign-in',
    answers: {
      'GET /factor-rule': () => ({ requiredOf: 'nobody', since: null }),
      'PUT /factor-rule': () => ({ requiredOf: 'admins', since: null }),
    },
  })
  await person.selectOptions(await screen.findByLabelText(/^Who needs one/), 'Admins')
  await person.type(screen.getByLabelText(/^From/), '2026-12-01T09:00')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Requirement saved.')).toBeTruthy()
  expect(requests.find(({ name }) => name.startsWith('PUT'))?.body).toEqual({
    requiredOf: 'admins',
    since: '2026-12-01T02:00:00.000Z',
  })
})

// R-1935
test('a set-up in place of every page that could not begin can be tried again, in any language', async () => {
  let isDown = true
  const { person } = renderApp({
    path: '/dashboard',
    user: { ...member, needsFactor: true },
    answers: setUpAnswers({
      'GET /auth/me': () => ({ ...member, needsFactor: true }),
      'POST /auth/factor': () => (isDown ? refuse(500, 'internal') : { secret: 'ABCDEFGHIJKLMNOP', qr }),
    }),
  })
  const retry = await screen.findByRole('button', { name: 'Try again' })
  expect(screen.getByRole('combobox', { name: 'Language' })).toBeTruthy()
  isDown = false
  await person.click(retry)
  expect(await screen.findByAltText(/QR/)).toBeTruthy()
})

// R-1935
test('a tab with the set-up goes on when it is shown after another tab has set a factor up', async () => {
  renderApp({
    path: '/groups',
    user: { ...member, needsFactor: true },
    answers: setUpAnswers({ 'GET /auth/me': () => withFactor }),
  })
  await screen.findByAltText(/QR/)
  document.dispatchEvent(new Event('visibilitychange'))
  expect(await screen.findByRole('heading', { name: 'Groups' })).toBeTruthy()
})

// R-1934
test('the recovery codes stay when the user comes back from saving them', async () => {
  const { person, requests } = renderApp({
    path: '/groups',
    user: { ...member, needsFactor: true },
    answers: setUpAnswers({ 'GET /auth/me': () => withFactor }),
  })
  await person.type(await screen.findByLabelText(/^The code that the app shows/), '123456{Enter}')
  await screen.findByRole('button', { name: 'I have saved them' })
  document.dispatchEvent(new Event('visibilitychange'))
  expect(requests.map(({ name }) => name)).toEqual(['POST /auth/factor', 'POST /auth/factor/finish'])
})
