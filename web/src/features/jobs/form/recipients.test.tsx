import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answers, calm, created, hello, jobRequests, open, shop, submit } from '../../../../test/job-form.tsx'
import { member, renderApp } from '../../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../../test/server.ts'
import { choose } from '../../../../test/steps.ts'

// Lists, contacts and sets of groups in the form for a job.

const preview = { ...calm, recipients: 7, leftOut: 2, withoutNumber: 1 }
const audience: Answers = {
  'GET /instances': () => pageOf([shop]),
  'GET /lists': () =>
    pageOf([
      { id: 3, name: 'Khách quen' },
      { id: 4, name: 'Đã hủy' },
    ] as never[]),
  'POST /contacts/choices': ({ body }) => ({
    contacts:
      (body as { search: string }).search === 'lan'
        ? [{ id: 11, name: 'Lan', phoneNumber: '+84901234567' }]
        : [],
  }),
  'POST /jobs/preview': () => preview,
  'POST /jobs': () => created,
}

async function openToPeople(more: Answers = {}) {
  const form = open({ ...audience, ...more })
  await form.person.selectOptions(await screen.findByLabelText(/Type/), 'SendToUsers')
  await choose(form.person, 'Message', '#5 Hello')
  return form
}

//
test('lists, a contact found by search and numbers are sent together, with a list left out', async () => {
  const { person, requests } = await openToPeople()
  await choose(person, 'Lists', 'Khách quen')
  await person.type(screen.getByRole('combobox', { name: 'Contacts' }), 'lan')
  await person.click(await screen.findByRole('option', { name: 'Lan +84901234567' }))
  await person.type(screen.getByLabelText(/Phone numbers/), '0907654321')
  await choose(person, 'Leave out', 'Đã hủy')
  const facts = within(await screen.findByRole('region', { name: 'Before sending' }))
  expect((await facts.findByText('Left out by lists')).nextSibling?.textContent).toBe('2')
  expect(facts.getByText('Without a phone number').nextSibling?.textContent).toBe('1')
  await submit(person)
  await waitFor(() =>
    expect(jobRequests(requests)).toMatchObject([
      { listIds: [3], contactIds: [11], phoneNumbers: '0907654321', excludedListIds: [4] },
    ]),
  )
})

//
test('an error of a list or contact is shown at its field', async () => {
  const fields = { listIds: 'JOB.NOBODY_LEFT', contactIds: 'JOB.CONTACT_INVALID' }
  const { person } = await openToPeople({ 'POST /jobs': () => refuse(400, 'invalid_input', { fields }) })
  await choose(person, 'Lists', 'Khách quen')
  await submit(person)
  expect(await screen.findByText(/^Nobody is left/)).toBeTruthy()
  expect(screen.getByText('Choose contacts that you see.')).toBeTruthy()
})

//
test('a Member who may not use contacts types numbers', async () => {
  const { requests, person } = renderApp({
    path: '/jobs/new',
    user: { ...member, canUseContacts: false },
    answers: { ...answers, ...audience },
  })
  await person.selectOptions(await screen.findByLabelText(/Type/), 'SendToUsers')
  expect(await screen.findByLabelText(/Phone numbers/)).toBeTruthy()
  for (const name of ['Lists', 'Contacts', 'Leave out'])
    expect(screen.queryByRole('combobox', { name })).toBeNull()
  expect(requests.some(({ name }) => name === 'GET /lists')).toBe(false)
})

//
test('sets of groups of the account are sent without a single group', async () => {
  const set = { id: 8, name: 'Đại lý', groupCount: 12, leftCount: 2 }
  const { person, requests } = open({ ...audience, 'GET /group-sets': () => pageOf([set] as never[]) })
  await choose(person, 'Message', '#6 No groups here')
  await choose(person, 'Sets of groups', 'Đại lý (10)')
  await submit(person)
  await waitFor(() => expect(jobRequests(requests)).toMatchObject([{ groupIds: [], groupSetIds: [8] }]))
})

//
test('people without a value are left out, or get a text instead', async () => {
  const incomplete = { total: 2, first: ['Lan', '+84907654321'], variables: ['city'] }
  const { person, requests } = await openToPeople({
    'GET /messages/:id': () => ({ ...hello, assignedGroups: [], version: 1 }),
    'POST /jobs/preview': ({ body }) => {
      const { fallbacks = {} } = body as { fallbacks?: Record<string, string> }
      return { ...preview, ...(!fallbacks.city && { incomplete }) }
    },
  })
  await choose(person, 'Lists', 'Khách quen')
  expect(await screen.findByText('2 people lack a value')).toBeTruthy()
  expect(screen.getByText('Lan, +84907654321')).toBeTruthy()
  await person.click(screen.getByLabelText('Leave these people out'))
  await person.type(screen.getByLabelText('Instead of {{city}}'), 'Huế')
  expect(await screen.findByText('0 people lack a value')).toBeTruthy()
  await submit(person)
  await waitFor(() =>
    expect(jobRequests(requests)).toMatchObject([{ fallbacks: { city: 'Huế' }, leaveOutIncomplete: true }]),
  )
})
