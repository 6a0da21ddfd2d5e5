import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { admin, renderApp } from '../../../test/render.tsx'
import { refuse } from '../../../test/server.ts'

const stats = () => refuse(503, 'unavailable')
const fill = async (person: ReturnType<typeof renderApp>['person']) => {
  await person.type(await screen.findByLabelText('Username'), ' minh ')
  await person.type(screen.getByLabelText('Password'), 'secret')
}

test('a visitor is sent to the login, and after it to where they wanted to go', async () => {
  const { router, person, seen } = renderApp({
    path: '/jobs?page=2',
    user: null,
    answers: {
      'POST /auth/login': () => ({ token: 'new', user: admin }),
      'GET /jobs': () => refuse(503, 'unavailable'),
    },
  })
  await fill(person)
  expect(router.state.location.search).toEqual({ returnUrl: '/jobs?page=2' })
  await person.click(screen.getByRole('button', { name: 'Sign in' }))

  expect(await screen.findByText('Login successful!')).toBeTruthy()
  await waitFor(() => expect(router.state.location.href).toBe('/jobs?page=2'))
  expect(seen.find(({ name }) => name === 'POST /auth/login')?.body).toEqual({
    username: 'minh',
    password: 'secret',
  })
  expect(localStorage.getItem('token')).toBe('new')
})

test('who is signed in already does not see the login', async () => {
  const { router } = renderApp({ path: '/login', answers: { 'GET /groups/stats': stats } })
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
})

test.each(['//evil.example/x', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)'])(
  'the login never leads to another site: %s',
  async (returnUrl) => {
    const { router } = renderApp({
      path: `/login?returnUrl=${encodeURIComponent(returnUrl)}`,
      answers: { 'GET /groups/stats': stats },
    })
    await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
  },
)

test('a failed login says so, keeps what was typed, and a new try clears it', async () => {
  let tries = 0
  const { person } = renderApp({
    path: '/login',
    user: null,
    answers: {
      'POST /auth/login': () => {
        tries += 1
        return tries === 1 ? refuse(401, 'login_failed') : { token: 'new', user: admin }
      },
      'GET /groups/stats': stats,
    },
  })
  await fill(person)
  await person.click(screen.getByRole('button', { name: 'Sign in' }))
  expect((await screen.findByRole('alert')).textContent).toBe(
    'Login failed. Check your username and password.',
  )
  expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('secret')
  await person.click(screen.getByRole('button', { name: 'Sign in' }))
  expect(await screen.findByText('Login successful!')).toBeTruthy()
})

test('an empty field says what is missing once it was left, and nothing can be sent', async () => {
  const { person } = renderApp({ path: '/login', user: null })
  await person.click(await screen.findByLabelText('Username'))
  await person.tab()
  expect(screen.getByText('Enter your username.')).toBeTruthy()
  expect(screen.queryByText('Enter your password.')).toBeNull()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Sign in' }).disabled).toBe(true)
})

test('the login is in the chosen language, and remembers the choice', async () => {
  const { person } = renderApp({ path: '/login', user: null })
  localStorage.removeItem('lang')
  await person.selectOptions(await screen.findByLabelText('Language'), 'CN')
  expect(await screen.findByRole('button', { name: '登录' })).toBeTruthy()
  expect(localStorage.getItem('lang')).toBe('cn')
  expect(document.documentElement.lang).toBe('zh-CN')
})

test('a taken username is shown in the register modal', async () => {
  const { person } = renderApp({
    path: '/login',
    user: null,
    answers: {
      'GET /auth/options': () => ({ selfRegistration: true }),
      'POST /auth/register': () => refuse(409, 'username_taken'),
    },
  })
  await person.click(await screen.findByRole('button', { name: 'Register' }))
  await screen.findByRole('dialog', { name: 'Register' })
  const submit = screen.getAllByRole<HTMLButtonElement>('button', { name: 'Register' }).at(-1)
  expect(submit?.disabled).toBe(true)

  await person.type(screen.getAllByLabelText(/^Username/).at(-1) as HTMLElement, 'minh')
  await person.type(screen.getByLabelText(/^Email/), 'minh@example.com')
  await person.type(screen.getAllByLabelText(/^Password/).at(-1) as HTMLElement, 'secret1')
  await person.type(screen.getByLabelText(/^Repeat password/), 'secret2')
  expect(screen.getByText('The passwords do not match.')).toBeTruthy()
  await person.clear(screen.getByLabelText(/^Repeat password/))
  await person.type(screen.getByLabelText(/^Repeat password/), 'secret1')
  await person.click(submit as HTMLElement)
  expect((await screen.findAllByText('This username is already taken.')).length).toBeGreaterThan(0)
})

test('where registration is switched off the login does not offer it', async () => {
  const { seen } = renderApp({
    path: '/login',
    user: null,
    answers: { 'GET /auth/options': () => ({ selfRegistration: false }) },
  })
  await screen.findByRole('button', { name: 'Sign in' })
  await waitFor(() => expect(seen).toHaveLength(1))
  expect(screen.queryByRole('button', { name: 'Register' })).toBeNull()
})
