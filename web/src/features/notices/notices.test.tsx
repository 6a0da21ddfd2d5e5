import type { Notice } from '@sendroom/contract/notices'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf } from '../../../test/server.ts'

const notice = (fields: Partial<Notice>): Notice => ({
  id: 1,
  kind: 'account_down',
  instance: { id: 1, name: 'Shop' },
  job: null,
  series: null,
  apiKey: null,
  host: '',
  reason: { code: 'account_not_linked', params: {} },
  expiresAt: null,
  beganAt: '2026-11-22T20:12:00.000Z',
  endedAt: null,
  isRead: false,
  ...fields,
})

const down = Array.from({ length: 5 }, (_, n) =>
  notice({ id: n + 1, instance: { id: n + 1, name: `Shop ${n + 1}` } }),
)
const stuck = notice({ id: 10, kind: 'job_stuck', job: { id: 7, name: 'Hello' }, isRead: true })
const over = notice({ id: 11, endedAt: '2026-11-22T21:00:00.000Z', isRead: true })

// jsdom has no popovers.
HTMLElement.prototype.hidePopover = function () {
  toggle(this, 'closed')
}
function toggle(popover: HTMLElement, newState: string) {
  popover.dispatchEvent(Object.assign(new Event('toggle'), { newState }))
}

async function openBell(notices: Notice[], more: Answers = {}) {
  const app = renderApp({
    path: '/instances',
    answers: {
      'GET /instances': () => pageOf([]),
      'GET /notices': () => ({ notices }),
      'POST /notices/read': ({ body }) => {
        const { ids } = body as { ids: number[] }
        for (const one of notices) if (ids.includes(one.id)) one.isRead = true
        return undefined
      },
      ...more,
    },
  })
  const name = notices.some(({ isRead }) => !isRead) ? /unread/ : 'Notices'
  const bell = await screen.findByRole('button', { name })
  const popover = document.getElementById('notices') as HTMLElement
  toggle(popover, 'open')
  return { ...app, bell, list: within(popover) }
}

const copies = (notices: Notice[]) => notices.map((one) => ({ ...one }))

//
test('the bell counts what is unread and shows what lasts before what is over, by kind', async () => {
  const { bell, list, person } = await openBell(copies([...down, stuck, over]))
  expect(bell.getAttribute('aria-label')).toBe('5 unread notices')
  await list.findByRole('heading', { name: 'Accounts that can’t send (5)' })
  expect(list.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
    'Accounts that can’t send (5)',
    'Jobs that stand still',
    'Accounts that can send again',
  ])
  const group = within(list.getByRole('region', { name: 'Accounts that can’t send' }))
  expect(group.getAllByRole('listitem')).toHaveLength(3)
  expect(group.getAllByText(/isn’t linked/)).toHaveLength(3)
  await person.click(group.getByRole('button', { name: 'Show all 5' }))
  expect(group.getAllByRole('listitem')).toHaveLength(5)
  const links = [group.getByRole('link', { name: 'Shop 5' }), list.getByRole('link', { name: '#7 Hello' })]
  expect(links.map((link) => link.getAttribute('href'))).toEqual(['/instances?search=Shop+5', '/jobs/7'])
})

// R-2159
test('an API key that expires leads to the list of keys, with the day', async () => {
  const reason = { code: 'key_expires', params: {} } as const
  const expiresAt = '2026-12-10T03:00:00.000Z'
  const { list } = await openBell([
    notice({ kind: 'key_expiring', instance: null, apiKey: { id: 3, name: 'Website' }, reason, expiresAt }),
  ])
  const group = within(await list.findByRole('region', { name: 'API keys that expire soon' }))
  expect(group.getByRole('link', { name: 'Website' }).getAttribute('href')).toBe('/api-keys?search=Website')
  expect(group.getByText('Expires on 12/10/26')).toBeTruthy()
  expect(
    group.getByText('Once the key has expired, its programs are refused. Create a new key for them.'),
  ).toBeTruthy()
})

//
test('“Got it” reads one kind, the link its notice, and another button all', async () => {
  const failed = notice({ id: 20, kind: 'job_failed', job: { id: 8, name: 'Bye' } })
  const { bell, list, person, requests, router } = await openBell(copies([...down, failed]))
  const visited: string[] = []
  router.subscribe('onBeforeNavigate', ({ toLocation }) => visited.push(toLocation.pathname))
  const [gotIt] = await list.findAllByRole('button', { name: 'Got it' })
  await person.click(gotIt as HTMLElement)
  await waitFor(() => expect(bell.getAttribute('aria-label')).toBe('1 unread notice'))
  const read = () => requests.filter(({ name }) => name === 'POST /notices/read').map(({ body }) => body)
  expect(read()).toEqual([{ ids: [1, 2, 3, 4, 5] }])
  await person.click(list.getByRole('link', { name: '#8 Bye' }))
  await waitFor(() => expect(bell.getAttribute('aria-label')).toBe('Notices'))
  expect(read()[1]).toEqual({ ids: [20] })
  // The scripted server has no such job, so the page goes on to the list.
  expect(visited).toContain('/jobs/8')
})

test('without notices the bell says what it is for', async () => {
  const { list } = await openBell([])
  expect(await list.findByText(/^No notices\./)).toBeTruthy()
  expect(list.queryByRole('button', { name: 'Mark all as read' })).toBeNull()
})

async function openSettings(email: string | null, more: Answers = {}) {
  const settings = { email, choices: [{ kind: 'account_down' as const, channels: ['bell' as const] }] }
  const opened = await openBell([], { 'GET /notices/settings': () => settings, ...more })
  await opened.person.click(await opened.list.findByRole('button', { name: 'Notice settings' }))
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByRole('table')
  return { ...opened, dialog }
}

test('users choose channels for each kind and test their email', async () => {
  const test = vi.fn()
  const { dialog, person, requests } = await openSettings('minh@example.com', {
    'POST /notices/test-email': () => void test(),
    'PUT /notices/settings': ({ body }) => ({ email: '', ...(body as { choices: [] }) }),
  })
  await person.click(dialog.getByRole('button', { name: 'Send a test email' }))
  await waitFor(() => expect(test).toHaveBeenCalled())
  await person.click(dialog.getByRole('checkbox', { name: 'Accounts that can’t send: Email' }))
  await person.click(dialog.getByRole('checkbox', { name: 'Accounts that can’t send: Bell' }))
  await person.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(requests.find(({ name }) => name === 'PUT /notices/settings')?.body).toEqual({
    choices: [{ kind: 'account_down', channels: ['email'] }],
  })
})

//
test('without a mail server email is not offered', async () => {
  const { dialog } = await openSettings(null)
  expect(dialog.getAllByRole('checkbox')).toHaveLength(1)
  expect(dialog.getByText(/no mail server/)).toBeTruthy()
  expect(dialog.queryByRole('button', { name: 'Send a test email' })).toBeNull()
})

//
test('a chosen language is stored for emails', async () => {
  const { person, requests } = await openBell([], { 'PUT /auth/language': () => undefined })
  await person.selectOptions(screen.getByLabelText('Language'), 'CN')
  await waitFor(() => expect(requests.at(-1)?.body).toEqual({ language: 'cn' }))
})
