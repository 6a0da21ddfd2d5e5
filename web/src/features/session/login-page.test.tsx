import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { admin, renderApp } from '../../../test/render.tsx'
import { refuse, textsOf } from '../../../test/server.ts'
import { currentToasts } from '../../ui/toasts.ts'

const stats = () => refuse(503, 'unavailable')
const fill = async (person: ReturnType<typeof renderApp>['person']) => {
  await person.type(await screen.findByLabelText('Username'), ' minh ')
  await person.type(screen.getByLabelText('Password'), 'secret')
}

//
test('a visitor is sent to the login, and after it to the requested page', async () => {
  const { router, person, requests } = renderApp({
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
  expect(currentToasts()).toMatchObject([
    { type: 'success', title: 'Success', msg: 'Login successful!', timeout: 3000 },
  ])
  await waitFor(() => expect(router.state.location.href).toBe('/jobs?page=2'))
  expect(requests.find(({ name }) => name === 'POST /auth/login')?.body).toEqual({
    username: 'minh',
    password: 'secret',
    language: 'en',
  })
  expect(localStorage.getItem('token')).toBe('new')
  expect(JSON.parse(localStorage.getItem('user') ?? '')).toEqual({ id: admin.id, role: admin.role })
  expect(await screen.findByRole('button', { name: 'User menu of minh' })).toBeTruthy()
})

//
test('a signed-in user does not see the login', async () => {
  const { router } = renderApp({ path: '/login', answers: { 'GET /groups/stats': stats } })
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
})

test.each([
  '//evil.example/x',
  '//',
  'https://evil.example',
  '/\\evil.example',
  '/.//evil.example',
  '/x/..//evil.example',
  '/%',
  'javascript:alert(1)',
])(
  //
  'the login never leads to another site: %s',
  async (returnUrl) => {
    const { router } = renderApp({
      path: `/login?returnUrl=${encodeURIComponent(returnUrl)}`,
      answers: { 'GET /groups/stats': stats },
    })
    await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
  },
)

//
test('a failed login shows an alert and keeps the values, and a new try clears the alert', async () => {
  let tries = 0
  let answer: (signedIn: { token: string; user: typeof admin }) => void = () => {}
  const second = new Promise<{ token: string; user: typeof admin }>((resolve) => {
    answer = resolve
  })
  const { person } = renderApp({
    path: '/login',
    user: null,
    answers: {
      'POST /auth/login': () => {
        tries += 1
        return tries === 1 ? refuse(401, 'login_failed') : second
      },
      'GET /groups/stats': stats,
    },
  })
  await fill(person)
  await person.click(screen.getByRole('button', { name: 'Sign in' }))
  expect((await screen.findByRole('alert')).textContent).toBe(
    'Login failed.Wrong username or password, or the user is locked.',
  )
  expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('secret')
  await person.click(screen.getByRole('button', { name: 'Sign in' }))
  expect(screen.queryByRole('alert')).toBeNull()
  answer({ token: 'new', user: admin })
  expect(await screen.findByText('Login successful!')).toBeTruthy()
})

test.each([
  ['a server that is not ready', refuse(503, 'unavailable'), 'Sendroom is not ready yet'],
  ['an error of the server', refuse(500, 'internal'), 'Internal Server Error'],
  ['a registration that waits', refuse(401, 'waiting_for_activation'), 'an Admin has to activate you'],
  //
])('%s is shown as a failed login with its cause', async (_, refusal, cause) => {
  const { person } = renderApp({
    path: '/login',
    user: null,
    answers: { 'POST /auth/login': () => refusal },
  })
  await fill(person)
  await person.click(screen.getByRole('button', { name: 'Sign in' }))
  const alert = await screen.findByRole('alert')
  expect(alert.textContent).toContain('Login failed.')
  expect(alert.textContent).toContain(cause)
})

test.each([
  ['en', 40, 'Too many attempts. Try again in 40 seconds.'],
  ['en', 1, 'Too many attempts. Try again in 1 second.'],
  ['en', 256, 'Too many attempts. Try again in 5 minutes.'],
  ['vi', 256, 'Bạn thử quá nhiều lần. Hãy thử lại sau 5 phút.'],
  ['cn', 300, '尝试次数过多，请在 5 分钟后重试。'],
])(
  'after too many attempts the login says in %s how long to wait: %i s',
  async (language, seconds, words) => {
    const { person } = renderApp({
      path: '/login',
      user: null,
      language,
      answers: { 'POST /auth/login': () => refuse(429, 'too_many_requests', { params: { seconds } }) },
    })
    const { LOGIN } = textsOf(language)
    await person.type(await screen.findByLabelText(LOGIN.USERNAME), 'minh')
    await person.type(screen.getByLabelText(LOGIN.PASSWORD), 'secret')
    await person.click(screen.getByRole('button', { name: LOGIN.SUBMIT }))
    //
    expect((await screen.findByRole('alert')).textContent).toBe(`${LOGIN.LOGIN_FAIL}${words}`)
  },
)

test.each([
  //
  ['Username', 'Enter your username.'],
  //
  ['Password', 'Enter your password.'],
])('an empty %s shows an error once the field was left or changed', async (label, words) => {
  const { person } = renderApp({ path: '/login', user: null })
  const field = await screen.findByLabelText<HTMLInputElement>(label)
  await person.click(field)
  expect(screen.queryByText(words)).toBeNull()
  await person.tab()
  expect(screen.getByText(words)).toBeTruthy()
  await person.type(field, 'a')
  expect(screen.queryByText(words)).toBeNull()
  await person.clear(field)
  expect(screen.getByText(words)).toBeTruthy()
})

//
test('the form can’t be sent while a field is empty', async () => {
  const { person } = renderApp({ path: '/login', user: null })
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Sign in' })
  expect(button.disabled).toBe(true)
  await person.type(screen.getByLabelText('Username'), 'minh')
  expect(button.disabled).toBe(true)
  await person.type(screen.getByLabelText('Password'), 'secret')
  expect(button.disabled).toBe(false)
})

//
test('during the request the button is disabled and nothing is sent twice', async () => {
  const { person, requests } = renderApp({
    path: '/login',
    user: null,
    answers: { 'POST /auth/login': () => new Promise(() => {}) },
  })
  await fill(person)
  await person.click(screen.getByRole('button', { name: 'Sign in' }))
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Signing in...' })
  expect(button.disabled).toBe(true)
  await person.type(screen.getByLabelText('Password'), '{Enter}')
  expect(requests.filter(({ name }) => name === 'POST /auth/login')).toHaveLength(1)
})

//
test('the login shows logo, title and description, in Vietnamese by default', async () => {
  renderApp({ path: '/login', user: null, language: null })
  expect(await screen.findByRole('heading', { level: 1, name: 'Chào mừng đến với Sendroom' })).toBeTruthy()
  expect(screen.getByText(/^Đăng nhập để/)).toBeTruthy()
  expect(document.querySelector('main img[src="/favicon.svg"]')).toBeTruthy()
  expect(screen.getByLabelText<HTMLSelectElement>('Ngôn ngữ').value).toBe('vi')
})

//
test('the app speaks the language that the login showed, chosen or not', async () => {
  const { person } = renderApp({
    path: '/login',
    user: null,
    language: null,
    answers: { 'POST /auth/login': () => ({ token: 'new', user: admin }), 'GET /groups/stats': stats },
  })
  await person.type(await screen.findByLabelText('Tên đăng nhập'), 'minh')
  await person.type(screen.getByLabelText('Mật khẩu'), 'secret')
  expect(localStorage.getItem('lang')).toBeNull()
  await person.click(screen.getByRole('button', { name: 'Đăng nhập' }))

  expect(await screen.findByRole('link', { name: 'Tin nhắn' })).toBeTruthy()
  expect(localStorage.getItem('lang')).toBe('vi')
})

//
test('the login is shown in the chosen language and stores the choice', async () => {
  const { person } = renderApp({ path: '/login', user: null })
  localStorage.removeItem('lang')
  const select = await screen.findByLabelText<HTMLSelectElement>('Language')
  expect([...select.options].map(({ text }) => text)).toEqual(['VI', 'EN', 'CN'])
  await person.selectOptions(select, 'CN')
  expect(select.selectedOptions[0]?.text).toBe('CN')
  expect(await screen.findByRole('button', { name: '登录' })).toBeTruthy()
  expect(localStorage.getItem('lang')).toBe('cn')
  expect(document.documentElement.lang).toBe('zh-CN')
})

//
test('the login offers no registration if it is switched off', async () => {
  const { requests } = renderApp({
    path: '/login',
    user: null,
    answers: { 'GET /auth/options': () => ({ selfRegistration: false, passwordMin: 6 }) },
  })
  await screen.findByRole('button', { name: 'Sign in' })
  await waitFor(() => expect(requests).toHaveLength(1))
  expect(screen.queryByRole('button', { name: 'Register' })).toBeNull()
})
