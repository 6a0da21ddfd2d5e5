import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { contact, fields } from '../../../test/contact.ts'
import { instance } from '../../../test/instance.ts'
import { member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'
import { choose } from '../../../test/steps.ts'
import './contact-page.tsx'
import './contacts-page.tsx'
import './number-check-dialog.tsx'

const answers: Answers = {
  'POST /contacts/search': () => pageOf([contact]),
  'GET /contacts/:id': () => contact,
  'GET /tags': () => ({ tags: [] }),
  'GET /contact-fields': () => ({ fields }),
  'GET /instances': () => pageOf([instance]),
  'GET /number-checks': () => ({ queues: [] }),
}
const open = (more: Answers = {}, path = '/contacts') =>
  renderApp({ path, user: { ...member, canManageContacts: true }, answers: { ...answers, ...more } })

async function openDialog(app: ReturnType<typeof open>) {
  await screen.findByRole('row', { name: /Nguyễn Lan/ })
  await app.person.click(screen.getByLabelText('Select all'))
  await app.person.click(screen.getByRole('button', { name: 'Check numbers' }))
  return within(await screen.findByRole('dialog', { name: 'Check the number of 1 contact' }))
}
const bodiesOf = ({ requests }: ReturnType<typeof open>, name: string) =>
  requests.filter((request) => request.name === name).map(({ body }) => body)

// R-1170
test('the chosen contacts are checked through a chosen account', async () => {
  const app = open({ 'POST /number-checks': () => ({ queued: 1, known: 2 }) })
  const dialog = await openDialog(app)
  await app.person.click(dialog.getByRole('button', { name: 'Check' }))
  expect(await dialog.findByText('Choose the account that checks the numbers.')).toBeTruthy()
  await choose(app.person, 'Account', 'Shop')
  await app.person.click(dialog.getByRole('button', { name: 'Check' }))
  expect(await screen.findByText(/^1 number will be checked\. 2 were checked/)).toBeTruthy()
  expect(bodiesOf(app, 'POST /number-checks')).toEqual([{ instanceId: 1, contacts: { ids: [5] } }])
})

// R-1178
test('a list of numbers is checked, and the dialog says what it does not understand', async () => {
  const app = open({
    'POST /number-checks': () => ({ queued: 1, known: 0 }),
    'POST /number-checks/preview': () => ({
      numbers: 1,
      duplicates: 2,
      unreadable: { total: 1, first: ['Chị Lan'] },
    }),
  })
  await app.person.click(await screen.findByRole('button', { name: 'Check a list of numbers' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Check a list of numbers' }))
  await app.person.click(dialog.getByRole('button', { name: 'Check' }))
  expect(await dialog.findByText('Enter at least one phone number.')).toBeTruthy()
  const phoneNumbers = '0901234567, Chị Lan'
  await app.person.type(dialog.getByLabelText(/^Phone numbers/), phoneNumbers)
  expect(await dialog.findByText('1 phone number. Duplicates: 2.')).toBeTruthy()
  expect(dialog.getByText('Not phone numbers, left out (1): Chị Lan')).toBeTruthy()
  await choose(app.person, 'Account', 'Shop')
  await app.person.click(dialog.getByRole('button', { name: 'Check' }))
  expect(await screen.findByText('1 number will be checked.')).toBeTruthy()
  expect(bodiesOf(app, 'POST /number-checks')).toEqual([{ instanceId: 1, phoneNumbers }])
})

// R-1172
test('on a trial the user is asked first', async () => {
  const app = open({
    'POST /number-checks': ({ body }) =>
      (body as { allowsMetered?: boolean }).allowsMetered
        ? { queued: 1, known: 0 }
        : refuse(409, 'number_check_metered', { params: { limit: 30 } }),
  })
  const dialog = await openDialog(app)
  await choose(app.person, 'Account', 'Shop')
  await app.person.click(dialog.getByRole('button', { name: 'Check' }))
  const question = within(await screen.findByRole('dialog', { name: 'Use calls of the trial?' }))
  expect(question.getByText(/At most 30 numbers a day/)).toBeTruthy()
  await app.person.click(question.getByRole('button', { name: 'Check' }))
  expect(await screen.findByText('1 number will be checked.')).toBeTruthy()
})

const queue = { instance: { id: 1, name: 'Shop' }, waiting: 40, mine: 40, checkedToday: 3, perDay: 1000 }

// R-1173
test('the progress says how long it takes, and is stopped', async () => {
  let isStopped = false
  const { person, requests } = open({
    'GET /number-checks': () => ({ queues: isStopped ? [] : [{ ...queue, reason: null }] }),
    'POST /number-checks/:id/stop': () => {
      isStopped = true
      return { stopped: 40 }
    },
  })
  expect(await screen.findByText('Shop: 40 numbers are waiting.')).toBeTruthy()
  expect(screen.getByText(/About 2 min/)).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Stop' }))
  await waitFor(() => expect(screen.queryByText('Number check')).toBeNull())
  expect(requests.find(({ name }) => name === 'POST /number-checks/:id/stop')?.params).toEqual({ id: '1' })
})

// R-1171
test('an account in trouble says why it checks nothing; others’ checks are not to be stopped', async () => {
  const reason = { code: 'account_not_linked', params: {} } as const
  open({ 'GET /number-checks': () => ({ queues: [{ ...queue, mine: 0, reason }] }) })
  expect(await screen.findByText(/None is checked now: The account isn’t linked/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull()
})

// R-1170
test('contacts are filtered by the answer', async () => {
  const app = open()
  await app.person.selectOptions(await screen.findByLabelText('On WhatsApp or not'), 'Not on WhatsApp')
  await waitFor(() =>
    expect(bodiesOf(app, 'POST /contacts/search').at(-1)).toMatchObject({ onWhatsapp: 'no' }),
  )
})

// R-1174
test('the page of a contact has the answer beside the number', async () => {
  const [first = '', second = ''] = contact.phoneNumbers
  open(
    {
      'GET /contacts/:id/number-checks': () => ({
        numbers: [
          {
            phoneNumber: first,
            answer: 'no',
            checkedAt: '2026-11-20T08:00:00.000Z',
            isTest: true,
            isWaiting: false,
          },
          { phoneNumber: second, answer: null, checkedAt: null, isTest: false, isWaiting: true },
        ],
      }),
    },
    '/contacts/5',
  )
  expect(await screen.findByText(/not on WhatsApp \(checked .* · Test$/)).toBeTruthy()
  expect(screen.getByText(/waiting to be checked/)).toBeTruthy()
})
