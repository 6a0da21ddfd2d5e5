import { defaultOptOutWords } from '@sendroom/contract/opt-out-words'
import type { OptOut, PossibleOptOut } from '@sendroom/contract/opt-outs'
import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { contact } from '../../../test/contact.ts'
import { renderApp } from '../../../test/render.tsx'
import { pageOf, type RecordedRequest, refuse } from '../../../test/server.ts'

const person = { phoneNumber: '+84901234567', lid: null, contact: { id: 5, name: 'Lan' } }
const said = {
  words: 'cho tôi dừng nhé',
  instance: { id: 1, name: 'Shop' },
  saidAt: '2026-11-22T08:00:00.000Z',
}
const optOut: OptOut = {
  ...{
    ...person,
    ...said,
    id: 1,
    source: 'review',
    sameAs: null,
    isForAll: true,
    createdBy: 'minh',
    holds: true,
  },
  ...{ endedAt: null, endedBy: null, endedReason: null },
}
const possible: PossibleOptOut = { ...person, ...said, id: 1, why: 'contains', version: 1 }
const settings = { isForAll: true, words: defaultOptOutWords, version: 4 }
const sentTo = (requests: RecordedRequest[], name: string) =>
  requests.filter((request) => request.name === name).map(({ body }) => body)

// R-1151
test('an opt-out ends with a reason only', async () => {
  const { person: user, requests } = renderApp({
    path: '/opt-outs',
    answers: {
      'POST /opt-outs/search': () => pageOf([optOut]),
      'POST /opt-outs/:id/end': () => ({ ...optOut, holds: false }),
    },
  })
  const row = await screen.findByRole('row', { name: /Lan/ })
  expect(row.textContent).toContain('Decided by minh from a message')
  await user.click(within(row).getByRole('button', { name: 'End opt-out' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(dialog.getByRole('button', { name: 'End opt-out' }))
  await dialog.findByText('Enter a reason of at most 500 characters.')
  await user.type(dialog.getByLabelText(/Reason/), 'She called us')
  await user.click(dialog.getByRole('button', { name: 'End opt-out' }))
  await screen.findByText('Opt-out ended.')
  expect(sentTo(requests, 'POST /opt-outs/:id/end')).toEqual([{ reason: 'She called us' }])
})

// R-1152
test('a list is entered, and what is no number is named', async () => {
  const { person: user, requests } = renderApp({
    path: '/opt-outs/new',
    answers: {
      'POST /opt-outs': () => ({
        ...{ added: 2, known: 1, duplicates: 0 },
        unreadable: { total: 1, first: ['Ms Lan'] },
      }),
    },
  })
  const numbers = await screen.findByLabelText(/Phone numbers/)
  await user.type(numbers, '0901234567')
  const file = new File(['0901234568\nMs Lan'], 'list.csv', { type: 'text/csv' })
  await user.upload(document.querySelector('input[type=file]') as HTMLInputElement, file)
  await user.click(screen.getByRole('button', { name: 'Opt out' }))
  await screen.findByText('2 people opted out.')
  expect(screen.getByText('Not phone numbers (1): Ms Lan')).toBeTruthy()
  expect(sentTo(requests, 'POST /opt-outs')).toEqual([
    { phoneNumbers: '0901234567\n0901234568\nMs Lan', note: '' },
  ])
  expect(screen.getByLabelText(/Phone numbers/)).toHaveProperty('value', '')
})

// R-1153
test('one click decides a message, and a decision of somebody else is said', async () => {
  let waiting = [possible, { ...possible, id: 2, words: 'dung', why: 'no_accents' as const }]
  const { person: user, requests } = renderApp({
    path: '/possible-opt-outs',
    answers: {
      'GET /possible-opt-outs': () => pageOf(waiting),
      'POST /possible-opt-outs/:id/decide': ({ params }) => {
        waiting = waiting.filter(({ id }) => id !== Number(params.id))
        if (params.id === '2') return refuse(409, 'stale_version')
        return undefined as never
      },
    },
  })
  await screen.findByRole('link', { name: 'Possible opt-outs 2' })
  await user.dblClick((await screen.findAllByRole('button', { name: 'Opt out' }))[0] as HTMLElement)
  await screen.findByText('Opted out.')
  expect(sentTo(requests, 'POST /possible-opt-outs/:id/decide')).toEqual([{ decision: 'optOut', version: 1 }])
  await user.click(screen.getByRole('button', { name: 'Nothing meant' }))
  await screen.findByText('Somebody else has already decided.')
  await screen.findByText('No message waits for a decision.')
})

// R-1154
test('a message of an unknown person needs a number for an opt-out', async () => {
  const { person: user, requests } = renderApp({
    path: '/possible-opt-outs',
    answers: {
      'GET /possible-opt-outs': () =>
        pageOf([{ ...possible, phoneNumber: null, contact: null, why: 'unknown_person' as const }]),
      'POST /possible-opt-outs/:id/decide': ({ body }) =>
        (body as { phoneNumber?: string }).phoneNumber
          ? (undefined as never)
          : refuse(400, 'invalid_input', { fields: { phoneNumber: 'OPT_OUT.PHONE_REQUIRED' } }),
    },
  })
  await user.click(await screen.findByRole('button', { name: 'Opt out' }))
  const number = screen.getByLabelText('Phone number of this person')
  expect(number.getAttribute('aria-invalid')).toBe('true')
  await user.type(number, '0901234567')
  await user.click(screen.getByRole('button', { name: 'Opt out' }))
  await screen.findByText('Opted out.')
  expect(sentTo(requests, 'POST /possible-opt-outs/:id/decide').at(-1)).toMatchObject({
    phoneNumber: '0901234567',
  })
})

// R-1155
test('an Admin changes words and scope, and restores the words', async () => {
  const { person: user, requests } = renderApp({
    path: '/settings/opt-outs',
    answers: {
      'GET /opt-out-settings': () => ({
        ...settings,
        words: { ...defaultOptOutWords, en: { ...defaultOptOutWords.en, stop: ['bye'] } },
      }),
      'PUT /opt-out-settings': () => ({ ...settings, version: 5 }),
    },
  })
  await user.click(await screen.findByLabelText('Only the account that they wrote to stops'))
  await user.click(screen.getByRole('button', { name: 'Restore default words' }))
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('Opt-out words saved.')
  expect(sentTo(requests, 'PUT /opt-out-settings')).toEqual([{ ...settings, isForAll: false }])
})

// R-1156
test('the page of a contact says since when and by what words, and opts out', async () => {
  let rows: OptOut[] = []
  const { person: user, requests } = renderApp({
    path: '/contacts/5',
    answers: {
      'GET /contacts/:id': () => contact,
      'GET /contacts/:id/jobs': () => pageOf([]),
      'GET /contact-fields': () => ({ fields: [] }),
      'POST /opt-outs/search': () => pageOf(rows),
      'POST /opt-outs': () => {
        rows = [optOut]
        return { added: 1, known: 0, duplicates: 0, unreadable: { total: 0, first: [] } }
      },
    },
  })
  await user.click(await screen.findByRole('button', { name: 'Opt out' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(dialog.getByLabelText('Note'), 'Called us')
  await user.click(dialog.getByRole('button', { name: 'Opt out' }))
  const section = within(await screen.findByRole('region', { name: 'Opt-outs' }))
  await section.findByText('“cho tôi dừng nhé”')
  expect(section.getByRole('button', { name: 'End opt-out' })).toBeTruthy()
  expect(sentTo(requests, 'POST /opt-outs')).toEqual([{ phoneNumbers: '+84901234567', note: 'Called us' }])
})
