import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderApp } from '../../../test/render.tsx'
import { type Answers, refuse } from '../../../test/server.ts'
import { fillIn } from '../../../test/steps.ts'

async function openRegistration(more: Answers = {}) {
  const app = renderApp({
    path: '/login',
    user: null,
    answers: { 'GET /auth/options': () => ({ selfRegistration: true, passwordMin: 6 }), ...more },
  })
  await app.person.click(await screen.findByRole('button', { name: 'Register' }))
  return { ...app, ...(await modal()) }
}

async function modal() {
  const dialog = within(await screen.findByRole('dialog', { name: 'Register' }))
  const field = (label: RegExp) => dialog.getByLabelText<HTMLInputElement>(label)
  return {
    dialog,
    username: field(/^Username/),
    email: field(/^Email/),
    password: field(/^Password/),
    repassword: field(/^Repeat password/),
    submit: dialog.getByRole<HTMLButtonElement>('button', { name: 'Register' }),
    close: dialog.getAllByRole('button', { name: 'Close' }).at(-1) as HTMLElement,
  }
}
type Opened = Awaited<ReturnType<typeof openRegistration>>

async function fill({ person, username, email, password, repassword }: Opened) {
  await fillIn(person, username, 'minh')
  await fillIn(person, email, 'minh@example.com')
  await fillIn(person, password, 'secret1')
  await fillIn(person, repassword, 'secret1')
}

//
test('the form is empty and without errors each time it opens', async () => {
  const opened = await openRegistration()
  await opened.person.type(opened.email, 'nobody')
  expect(opened.dialog.getByText('Enter a valid email address.')).toBeTruthy()
  await opened.person.click(opened.close)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

  await opened.person.click(screen.getByRole('button', { name: 'Register' }))
  const { dialog, username, email, password, repassword } = await modal()
  for (const input of [username, email, password, repassword]) expect(input.value).toBe('')
  expect(dialog.queryByText('Enter a valid email address.')).toBeNull()
  expect(dialog.queryByText(/^Enter/)).toBeNull()
})

test.each([
  //
  ['username', 'Enter a username of 3 to 100 characters.'],
  //
  ['email', 'Enter your email address.'],
  //
  ['password', 'Enter a password of 6 to 100 characters.'],
  //
  ['repassword', 'Repeat the password.'],
  //
] as const)('without %s the form shows an error and can’t be sent', async (name, words) => {
  const opened = await openRegistration()
  await fill(opened)
  expect(opened.submit.disabled).toBe(false)
  await opened.person.clear(opened[name])
  expect(opened.dialog.getByText(words)).toBeTruthy()
  expect(opened.submit.disabled).toBe(true)
})

test('the error of a short password names the length that the server asks for', async () => {
  const opened = await openRegistration({
    'GET /auth/options': () => ({ selfRegistration: true, passwordMin: 12 }),
    'POST /auth/register': () =>
      refuse(400, 'invalid_input', { fields: { password: 'USER_FORM.PASSWORD_INVALID' } }),
  })
  await fill(opened)
  await opened.person.click(opened.submit)
  expect(await opened.dialog.findByText('Enter a password of 12 to 100 characters.')).toBeTruthy()
})

//
test('different passwords are marked even if other fields are still empty', async () => {
  const { dialog, person, password, repassword, submit } = await openRegistration()
  await person.type(password, 'secret1')
  await person.type(repassword, 'secret2')
  expect(dialog.getByText('The passwords do not match.')).toBeTruthy()
  expect(submit.disabled).toBe(true)
})

//
test('after a registration the modal closes and an alert says what happens next', async () => {
  let alertAt = 0
  const alert = vi.fn(() => {
    alertAt = Date.now()
  })
  vi.stubGlobal('alert', alert)
  const opened = await openRegistration({ 'POST /auth/register': () => undefined })
  await fill(opened)
  const sentAt = Date.now()
  await opened.person.click(opened.submit)
  const busyButton = opened.dialog.getByRole<HTMLButtonElement>('button', { name: 'Processing...' })
  expect(busyButton.disabled).toBe(true)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(() => expect(alert).toHaveBeenCalledOnce())
  expect(alert).toHaveBeenCalledWith(expect.stringContaining('Registration received.'))
  // Timers may fire slightly early.
  expect(alertAt - sentAt).toBeGreaterThan(1450)
  expect(opened.requests.find(({ name }) => name === 'POST /auth/register')?.body).toEqual({
    username: 'minh',
    email: 'minh@example.com',
    password: 'secret1',
    repassword: 'secret1',
  })
})

//
test('a form that is closed during sending and opened again stays open', async () => {
  const alert = vi.fn()
  vi.stubGlobal('alert', alert)
  const opened = await openRegistration({ 'POST /auth/register': () => undefined })
  await fill(opened)
  await opened.person.click(opened.submit)
  await opened.person.click(opened.close)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await opened.person.click(screen.getByRole('button', { name: 'Register' }))
  const again = await modal()
  await opened.person.type(again.username, 'lan')
  await waitFor(() => expect(alert).toHaveBeenCalledOnce())
  expect(again.username.isConnected).toBe(true)
})

//
test('a refused field is shown in the modal', async () => {
  const opened = await openRegistration({
    'POST /auth/register': () =>
      refuse(400, 'invalid_input', { fields: { password: 'PASSWORD.TOO_COMMON' } }),
  })
  await fill(opened)
  await opened.person.click(opened.submit)
  expect(await opened.dialog.findByText('This password is too common. Choose another one.')).toBeTruthy()
  expect(opened.username.value).toBe('minh')
})

//
test('if registration was closed meanwhile, a toast says whom to ask', async () => {
  const opened = await openRegistration({ 'POST /auth/register': () => refuse(403, 'registration_closed') })
  await fill(opened)
  await opened.person.click(opened.submit)
  expect(await screen.findByText('Registration is closed. Ask an Admin to add you.')).toBeTruthy()
})
