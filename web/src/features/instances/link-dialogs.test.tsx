import type { DashboardStats } from '@sendroom/contract/dashboard'
import type { Instance } from '@sendroom/contract/instances'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { instance, wholeInstance } from '../../../test/instance.ts'
import { renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'
import { currentToasts } from '../../ui/toasts.ts'

const unlinked = { ...instance, status: 'NeedsLogin' as const }

async function open(button: string, answers: Answers = {}, language = 'en') {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const app = renderApp({
    path: '/instances',
    language,
    answers: {
      'GET /instances': () => pageOf([unlinked]),
      'GET /instances/:id': () => ({ ...wholeInstance, status: 'NeedsLogin' }),
      'GET /instances/:id/qrcode-base64': () => ({ qr: 'data:image/png;base64,AAAA' }),
      'GET /instances/:id/connect-code': () => ({ code: 'ABCD-1234' }),
      ...answers,
    },
  })
  await app.person.click(
    within(await screen.findByRole('row', { name: /Shop/ })).getByRole('button', { name: button }),
  )
  const dialog = await screen.findByRole('dialog')
  const countOf = (call: string) => app.requests.filter(({ name }) => name.endsWith(call)).length
  return { ...app, dialog: within(dialog), countOf }
}
/** An instance whose status the server confirmed at this hour. */
const confirmedAt = (hour: number, status: Instance['status']): Instance => ({
  ...wholeInstance,
  status,
  statusSeenAt: new Date(Date.UTC(2026, 10, 21, hour)).toISOString(),
})
const connectedAt = (hour: number) => confirmedAt(hour, 'Connected')
const qrImage = () => screen.findByRole<HTMLImageElement>('img', { name: 'QR code to link the account' })

//
test('the QR dialog shows the code and counts down to the next one', async () => {
  const { requests } = await open('Scan QR')
  expect((await qrImage()).src).toBe('data:image/png;base64,AAAA')
  const secondsLeft = () => Number(/^New code in (\d+) s$/.exec(screen.getByRole('timer').textContent)?.[1])
  const before = secondsLeft()
  expect(before).toBeGreaterThan(5)
  await vi.advanceTimersByTimeAsync(5000)
  await waitFor(() => expect(secondsLeft()).toBeLessThanOrEqual(before - 4))
  expect(requests.find(({ name }) => name.endsWith('qrcode-base64'))?.params).toEqual({ id: '1' })
})

test.each([
  [true, /the simulator (scans|enters the code) by itself/],
  [false, /On the phone, open WhatsApp/],
])('the dialogs say who scans or types a code: test mode %s', async (isTest, words) => {
  const { dialog, person } = await open('Scan QR', {
    'GET /instances': () => pageOf([{ ...unlinked, isTest, whatsAppNumber: '84901234567' }]),
  })
  expect(await dialog.findByText(words)).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Close' }))
  await person.click(screen.getByRole('button', { name: 'Get code' }))
  const pairing = within(await screen.findByRole('dialog', { name: /Get code/ }))
  await person.click(pairing.getByRole('button', { name: 'Get code' }))
  expect(await pairing.findByText(words)).toBeTruthy()
})

//
test('the code is renewed every 30 seconds until the dialog closes', async () => {
  const { countOf, person, dialog } = await open('Scan QR')
  await qrImage()
  expect(countOf('qrcode-base64')).toBe(1)
  await vi.advanceTimersByTimeAsync(18_000)
  expect(countOf('qrcode-base64')).toBe(1)
  await vi.advanceTimersByTimeAsync(13_000)
  expect(countOf('qrcode-base64')).toBe(2)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(countOf('qrcode-base64')).toBe(3)
  await person.click(dialog.getByRole('button', { name: 'Close' }))
  await vi.advanceTimersByTimeAsync(90_000)
  expect(countOf('qrcode-base64')).toBe(3)
})

//
test('a manual refresh restarts the 30 seconds', async () => {
  const { countOf, person, dialog } = await open('Scan QR')
  await qrImage()
  await vi.advanceTimersByTimeAsync(16_000)
  await person.click(dialog.getByRole('button', { name: 'Refresh now' }))
  await waitFor(() => expect(countOf('qrcode-base64')).toBe(2))
  await vi.advanceTimersByTimeAsync(16_000)
  expect(countOf('qrcode-base64')).toBe(2)
})

test.each([
  //
  ['Scan QR', 'the QR dialog'],
  //
  ['Get code', 'the pairing dialog'],
])('%s: %s notices that the instance was linked, even by another user', async (button) => {
  let isConnected = false
  const { person, dialog, countOf } = await open(button, {
    'GET /instances/:id': () => (isConnected ? connectedAt(10) : confirmedAt(9, 'NeedsLogin')),
  })
  await waitFor(() => expect(countOf('GET /instances/:id')).toBe(1))
  isConnected = true
  await vi.advanceTimersByTimeAsync(3000)
  expect(await dialog.findByText('The account is connected. Its groups are syncing.')).toBeTruthy()
  expect(screen.queryByRole('timer')).toBeNull()
  const codes = countOf('qrcode-base64')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(countOf('qrcode-base64')).toBe(codes)
  const done = dialog.getByRole('button', { name: 'Done' })
  expect(document.activeElement).toBe(done)
  await person.keyboard('{Enter}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test.each(['Scan QR', 'Get code'])(
  '%s: a connection from before the dialog opened does not end it',
  async (button) => {
    let known = connectedAt(9)
    const { dialog, countOf } = await open(button, { 'GET /instances/:id': () => known })
    await waitFor(() => expect(countOf('GET /instances/:id')).toBe(1))
    await vi.advanceTimersByTimeAsync(3000)
    await waitFor(() => expect(countOf('GET /instances/:id')).toBe(2))
    expect(dialog.queryByText(/The account is connected/)).toBeNull()
    expect(dialog.getByRole('button', { name: button === 'Scan QR' ? 'Refresh now' : button })).toBeTruthy()
    known = connectedAt(10)
    await vi.advanceTimersByTimeAsync(3000)
    expect(await dialog.findByText('The account is connected. Its groups are syncing.')).toBeTruthy()
  },
)

test.each(['Scan QR', 'Get code'])(
  //
  '%s: the provider’s answer that the instance is connected ends the dialog at once',
  async (button) => {
    const refused = () => refuse(409, 'already_connected')
    const { person, dialog, countOf } = await open(button, {
      'GET /instances/:id': () => connectedAt(10),
      'GET /instances/:id/qrcode-base64': refused,
      'GET /instances/:id/connect-code': refused,
    })
    if (button === 'Get code') await person.click(dialog.getByRole('button', { name: button }))
    expect(await dialog.findByText('The account is connected. Its groups are syncing.')).toBeTruthy()
    expect(currentToasts().filter(({ msg }) => msg.includes('already connected'))).toEqual([])
    const polls = countOf('GET /instances/:id')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(countOf('GET /instances/:id')).toBe(polls)
  },
)

const stats: DashboardStats = {
  totalGroups: 0,
  totalMessages: 0,
  totalJobs: 0,
  pendingJobs: 0,
  completedJobs: 0,
  failedJobs: 0,
  runningJobs: 0,
  totalUniqueUsers: 0,
  totalSentMessages: 0,
  topGroups: [],
}
test.each([
  ['a first message', {}, 'Write message', '/jobs/new'],
  ['a first job', { totalMessages: 1 }, 'Create job', '/jobs/new'],
])('the linked dialog leads a new user to %s', async (_, some, name, href) => {
  const { dialog } = await open('Scan QR', {
    'GET /instances/:id/qrcode-base64': () => refuse(409, 'already_connected'),
    'GET /groups/stats': () => ({ ...stats, ...some }),
  })
  expect((await dialog.findByRole('link', { name })).getAttribute('href')).toBe(href)
})

test.each([
  ['has sent before', { totalMessages: 1, totalJobs: 1 }, false],
  ['has hidden the guide', {}, true],
])('the linked dialog offers no next step to a user who %s', async (_, some, isHidden) => {
  if (isHidden) localStorage.setItem('first-steps-hidden-1', 'yes')
  const { dialog, countOf } = await open('Scan QR', {
    'GET /instances/:id/qrcode-base64': () => refuse(409, 'already_connected'),
    'GET /groups/stats': () => ({ ...stats, ...some }),
  })
  expect(await dialog.findByRole('button', { name: 'Done' })).toBeTruthy()
  await waitFor(() => expect(countOf('stats')).toBe(isHidden ? 0 : 1))
  expect(dialog.queryByRole('link')).toBeNull()
})

//
test('an instance that was connected all the time is called so, without a sync', async () => {
  const connected = { ...instance, status: 'Connected' as const }
  const { dialog } = await open('Scan QR', {
    'GET /instances': () => pageOf([connected]),
    'GET /instances/:id': () => connectedAt(10),
    'GET /instances/:id/qrcode-base64': () => refuse(409, 'already_connected'),
  })
  expect(await dialog.findByText(/^The account is already connected/)).toBeTruthy()
  expect(dialog.queryByText(/groups/)).toBeNull()
  expect(dialog.getByRole('button', { name: 'Done' })).toBeTruthy()
})

test('an instance that was logged out on the phone is linked anew, and its groups are read', async () => {
  let known = connectedAt(9)
  const { dialog } = await open('Scan QR', {
    'GET /instances': () => pageOf([{ ...instance, status: 'Connected' as const }]),
    'GET /instances/:id': () => known,
  })
  await qrImage()
  known = confirmedAt(10, 'NeedsLogin')
  await vi.advanceTimersByTimeAsync(3000)
  known = connectedAt(11)
  await vi.advanceTimersByTimeAsync(3000)
  expect(await dialog.findByText('The account is connected. Its groups are syncing.')).toBeTruthy()
})

test.each(['Scan QR', 'Get code'])('%s: the dialog says that the instance was deleted', async (button) => {
  let isGone = false
  const { dialog, countOf } = await open(button, {
    'GET /instances/:id': () =>
      isGone ? refuse(404, 'not_found') : { ...wholeInstance, status: 'NeedsLogin' },
  })
  await waitFor(() => expect(countOf('GET /instances/:id')).toBe(1))
  isGone = true
  await vi.advanceTimersByTimeAsync(3000)
  expect(await dialog.findByText('This account no longer exists, or you no longer have access.')).toBeTruthy()
  await waitFor(() => expect(countOf('GET /instances')).toBe(2))
})

test('a failed code says why and is requested again, automatically or by button', async () => {
  let isDown = true
  const reason = { reason: 'The provider is unreachable.' }
  const { person, dialog, countOf } = await open('Scan QR', {
    'GET /instances/:id/qrcode-base64': () =>
      isDown ? refuse(502, 'provider_failed', { params: reason }) : { qr: 'data:image/png;base64,AAAA' },
  })
  const words = 'The WhatsApp provider could not do this: The provider is unreachable.'
  expect(await dialog.findByText(words)).toBeTruthy()
  expect(screen.getByRole('timer').textContent).toMatch(/^Trying again in \d+ s$/)
  await vi.advanceTimersByTimeAsync(31_000)
  expect(countOf('qrcode-base64')).toBe(2)
  expect(await dialog.findByText(words)).toBeTruthy()
  isDown = false
  await person.click(dialog.getByRole('button', { name: 'Try again' }))
  expect(await qrImage()).toBeTruthy()
  expect(dialog.queryByText(words)).toBeNull()
})

test('a code that is not ready yet is requested again soon', async () => {
  let isReady = false
  const { dialog } = await open('Scan QR', {
    'GET /instances/:id/qrcode-base64': () =>
      isReady ? { qr: 'data:image/png;base64,AAAA' } : refuse(503, 'qr_not_ready'),
  })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await dialog.findByText('The QR code is not ready yet. Try again in a moment.')).toBeTruthy()
  isReady = true
  await vi.advanceTimersByTimeAsync(6000)
  expect(await qrImage()).toBeTruthy()
})

//
test('without a phone number an alert asks for it, in the user’s language', async () => {
  const alert = vi.fn()
  vi.stubGlobal('alert', alert)
  const { person, dialog, countOf } = await open('Lấy mã ghép nối', {}, 'vi')
  await person.clear(dialog.getByLabelText('Số điện thoại'))
  await person.click(dialog.getByRole('button', { name: 'Lấy mã ghép nối' }))
  expect(alert).toHaveBeenCalledWith('Nhập số điện thoại kèm mã quốc gia.')
  expect(countOf('connect-code')).toBe(0)
})

//
test('a pairing code is shown below the phone number until it expires', async () => {
  const { person, dialog, requests } = await open('Get code')
  const phone = dialog.getByLabelText<HTMLInputElement>('Phone number')
  expect(phone.value).toBe('84901234567')
  await person.clear(phone)
  await person.type(phone, '+84 90')
  await person.click(dialog.getByRole('button', { name: 'Get code' }))
  const code = await dialog.findByText('ABCD-1234')
  expect(phone.compareDocumentPosition(code)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  expect(requests.find(({ name }) => name.endsWith('connect-code'))).toMatchObject({
    params: { id: '1' },
    query: { phone: '+84 90' },
  })
  await vi.advanceTimersByTimeAsync(151_000)
  expect(await dialog.findByText('The code may have expired. Get a new one.')).toBeTruthy()
  expect(dialog.queryByText('ABCD-1234')).toBeNull()
  await person.click(dialog.getByRole('button', { name: 'Get code' }))
  expect(await dialog.findByText('ABCD-1234')).toBeTruthy()
})

test('an invalid phone number is marked at its field', async () => {
  const { person, dialog } = await open('Get code', {
    'GET /instances/:id/connect-code': () =>
      refuse(400, 'invalid_input', { fields: { phone: 'ACCOUNT.PHONE_REQUIRED' } }),
  })
  await person.click(dialog.getByRole('button', { name: 'Get code' }))
  const phone = dialog.getByLabelText('Phone number')
  await waitFor(() => expect(phone.getAttribute('aria-invalid')).toBe('true'))
})

test('a code that fails after the dialog was closed shows no toast', async () => {
  let answer = () => {}
  const { person, dialog, countOf } = await open('Get code', {
    'GET /instances/:id/connect-code': () =>
      new Promise((resolve) => {
        answer = () => resolve(refuse(502, 'provider_failed'))
      }),
  })
  await person.click(dialog.getByRole('button', { name: 'Get code' }))
  await waitFor(() => expect(countOf('connect-code')).toBe(1))
  await person.click(dialog.getByRole('button', { name: 'Close' }))
  answer()
  await vi.advanceTimersByTimeAsync(100)
  expect(currentToasts().filter(({ msg }) => msg.includes('could not do this'))).toEqual([])
})
