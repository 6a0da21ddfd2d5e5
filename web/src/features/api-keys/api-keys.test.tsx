import type { ApiKey } from '@sendroom/contract/api-keys'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { admin, member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf } from '../../../test/server.ts'
import './api-key-form-page.tsx'
import './api-keys-page.tsx'

// happy-dom has no popovers.
HTMLElement.prototype.hidePopover ??= () => {}

const apiKey: ApiKey = {
  id: 3,
  name: 'Shop system',
  start: 'sendroom_x7Kq',
  owner: { id: admin.id, name: admin.username },
  rights: ['canWriteMessages', 'canCreateJobs'],
  instances: [{ id: 7, name: 'Shop' }],
  addresses: ['203.0.113.0/24'],
  createdAt: '2026-11-22T08:00:00.000Z',
  expiresAt: '2027-11-22T08:00:00.000Z',
  hasExpired: false,
  lastUsedAt: '2026-11-22T20:12:00.000Z',
  lastUsedAddress: '203.0.113.7',
}
const ofLan: ApiKey = {
  ...apiKey,
  id: 4,
  name: 'ERP',
  owner: { id: member.id, name: member.username },
  rights: [],
  instances: null,
  addresses: [],
  hasExpired: true,
  lastUsedAt: null,
  lastUsedAddress: null,
}
const secret = `sendroom_${'x'.repeat(49)}`
const answers: Answers = {
  'GET /api-keys': () => pageOf([apiKey, ofLan]),
  'GET /api-keys/:id': () => apiKey,
  'POST /api-keys': () => ({ apiKey, secret }),
  'PUT /api-keys/:id': () => apiKey,
  'DELETE /api-keys/:id': () => undefined,
  'GET /instances': () => pageOf([]),
}
const open = (path: string, more: Answers = {}, user = admin) =>
  renderApp({ path, user, answers: { ...answers, ...more } })
const rowOf = async (name: RegExp) => within(await screen.findByRole('row', { name }))

// R-2020
test('the list says what each key may do, from where and when it was used', async () => {
  open('/api-keys')
  const cells = (await rowOf(/Shop system/)).getAllByRole('cell').map(({ textContent }) => textContent)
  expect(cells.slice(0, -1)).toEqual([
    'Shop systemsendroom_x7Kq…',
    admin.username,
    'Can write messagesCan create jobs',
    'Shop',
    '11/22/27, 3:00 PM',
    '11/23/26, 3:12 AM from 203.0.113.7Only from 203.0.113.0/24',
  ])
  const other = await rowOf(/ERP/)
  for (const words of ['Reading only', 'All accounts', 'Expired', 'Never'])
    expect(other.getByText(words)).toBeTruthy()
})

// R-2020
test('Members see no owners; the menu leads to the page', async () => {
  const { person, router } = open('/messages', { 'GET /messages': () => pageOf([]) }, member)
  await person.click(await screen.findByRole('link', { name: 'API keys', hidden: true }))
  await rowOf(/Shop system/)
  expect(router.state.location.pathname).toBe('/api-keys')
  expect(screen.queryByRole('columnheader', { name: 'Owner' })).toBeNull()
})

// R-2020
test('an Admin revokes the key of another after a question, and can’t edit it', async () => {
  const { person, requests } = open('/api-keys')
  const row = await rowOf(/ERP/)
  expect(row.queryByRole('button', { name: 'Edit' })).toBeNull()
  await person.click(row.getByRole('button', { name: 'Revoke' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Revoke API key' }))
  expect(dialog.getByText(/“ERP”/)).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Revoke' }))
  expect(await screen.findByText('API key revoked.')).toBeTruthy()
  expect(requests.find(({ name }) => name.startsWith('DELETE'))?.params).toEqual({ id: '4' })
})

// R-2020
test.each([
  ['13 days', 13, true],
  ['15 days', 15, false],
])('a key that expires in %s is marked if that is soon', async (_, days, isMarked) => {
  const expiresAt = new Date(Date.now() + days * 86_400_000).toISOString()
  open('/api-keys', { 'GET /api-keys': () => pageOf([{ ...apiKey, expiresAt }]) })
  await rowOf(/Shop system/)
  expect(screen.queryByText('Expires soon') !== null).toBe(isMarked)
})

// R-2020
test('an empty list says so', async () => {
  open('/api-keys', { 'GET /api-keys': () => pageOf([]) })
  expect(await screen.findByText('There are no API keys yet.')).toBeTruthy()
})

// R-2020
test('a new key is shown once and copied; errors are shown at their fields', async () => {
  const { person, requests, router } = open('/api-keys/new')
  await person.click(await screen.findByRole('button', { name: 'Save' }))
  expect(screen.getByText(/^Enter a name of at most/)).toBeTruthy()
  await person.type(screen.getByLabelText(/^Name/), 'Till')
  await person.click(screen.getByLabelText('Can create jobs'))
  await person.selectOptions(screen.getByLabelText('Expires after'), '90 days')
  await person.type(screen.getByRole('combobox', { name: 'Allowed addresses' }), '203.0.113,')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  expect(screen.getByText(/^Enter addresses such as/)).toBeTruthy()
  await person.type(screen.getByRole('combobox', { name: 'Allowed addresses' }), '{Backspace}203.0.113.7,')
  await person.click(screen.getByRole('button', { name: 'Save' }))

  expect(await screen.findByDisplayValue(secret)).toBeTruthy()
  expect(requests.find(({ name }) => name === 'POST /api-keys')?.body).toEqual({
    name: 'Till',
    rights: ['canCreateJobs'],
    instanceIds: null,
    addresses: ['203.0.113.7'],
    days: 90,
  })
  const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  await person.click(screen.getByRole('button', { name: 'Copy' }))
  expect(await screen.findByRole('button', { name: 'Copied' })).toBeTruthy()
  expect(copied).toHaveBeenCalledWith(secret)
  await person.click(screen.getByRole('link', { name: 'I have kept the key' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/api-keys'))
  expect(screen.queryByDisplayValue(secret)).toBeNull()
})

// R-2020
test('editing keeps the expiry', async () => {
  const { person, requests, router } = open('/api-keys/edit/3', {
    'GET /instances': () => pageOf([{ id: 7, name: 'Shop', isActive: true } as never]),
  })
  await person.type(await screen.findByLabelText(/^Name/), ' 2')
  expect(screen.queryByLabelText('Expires after')).toBeNull()
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/api-keys'))
  expect(requests.find(({ name }) => name.startsWith('PUT'))?.body).toMatchObject({
    name: 'Shop system 2',
    instanceIds: [7],
  })
})

// R-2020
test.each(['curl', 'TypeScript', 'Python', 'PHP'])('there is an example for %s', async (language) => {
  const { person } = open('/api-keys')
  await person.click(await screen.findByRole('radio', { name: language }))
  expect(screen.getByText(/SENDROOM_KEY=sendroom_…/).textContent).toContain('requestId')
})
