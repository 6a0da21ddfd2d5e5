import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { instance } from '../../../../test/instance.ts'
import { calm } from '../../../../test/job-form.tsx'
import { renderApp } from '../../../../test/render.tsx'
import { type Answers, pageOf, type RecordedRequest, refuse } from '../../../../test/server.ts'

async function open(preview: Answers['POST /jobs/preview']) {
  const app = renderApp({
    path: '/jobs/new',
    answers: {
      'GET /instances': () => pageOf([instance, { ...instance, id: 8, name: 'Depot' }]),
      'GET /messages': () => pageOf([]),
      'POST /groups/search': () => pageOf([]),
      'GET /lists': () => pageOf([]),
      'GET /group-sets': () => pageOf([]),
      ...(preview && { 'POST /jobs/preview': preview }),
    },
  })
  const panel = within(await screen.findByRole('region', { name: 'Before sending' }))
  await app.person.selectOptions(screen.getByLabelText(/Type/), 'SendToUsers')
  const type = (text: string) => app.person.type(screen.getByLabelText(/Phone numbers/), text)
  return { ...app, panel, type }
}
const previewRequests = (requests: RecordedRequest[]) =>
  requests.filter(({ name }) => name === 'POST /jobs/preview')

test('without recipients the preview shows a hint and calls nothing', async () => {
  const { panel, requests } = await open(() => calm)
  expect(panel.getByText(/^Choose recipients/)).toBeTruthy()
  expect(previewRequests(requests)).toEqual([])
})

//
test('the preview comes before the button that creates the job', async () => {
  await open(() => calm)
  const preview = screen.getByRole('region', { name: 'Before sending' })
  const button = screen.getByRole('button', { name: 'Create job' })
  expect(preview.compareDocumentPosition(button)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
})

//
test('the preview is requested after a pause in typing and shows recipients and duration', async () => {
  const { panel, person, requests, type } = await open(({ body }) => ({
    ...calm,
    ...((body as { instanceId: number | null }).instanceId && {
      duplicates: 2,
      durationSeconds: 7500,
      endsAt: '2026-01-02T03:04:05.000Z',
    }),
  }))
  const text = '0901234567, 0901'
  await type(text)
  expect(await panel.findByText('Choose an account to see the time needed.')).toBeTruthy()
  expect(previewRequests(requests).at(-1)?.body).toMatchObject({
    messageId: null,
    instanceId: null,
    groupIds: [],
  })
  expect(previewRequests(requests).length).toBeLessThan(text.length)

  await person.click(screen.getByRole('combobox', { name: 'Account' }))
  await person.click(await screen.findByRole('option', { name: 'Shop' }))
  expect(await panel.findByText('about 2 hr 5 min')).toBeTruthy()
  for (const words of ['3', '2', '1/2/26, 10:04 AM']) expect(panel.getByText(words)).toBeTruthy()
})

//
test('the preview names problems before the job is created', async () => {
  const { panel, type } = await open(() => ({
    ...calm,
    unreadable: { total: 1, first: ['abc'] },
    leftGroups: { total: 52, first: [{ id: 1, name: 'Family' }] },
    leftInSets: {
      total: 2,
      first: [
        { id: 3, name: 'Aunts' },
        { id: 4, name: 'Uncles' },
      ],
    },
    closedGroups: { total: 1, first: [{ id: 2, name: 'News' }] },
  }))
  await type('abc')
  expect(await panel.findByText('1 entry is not a phone number')).toBeTruthy()
  expect(panel.getByText('abc')).toBeTruthy()
  expect(panel.getByText('The account has left 52 groups')).toBeTruthy()
  expect(panel.getByText('Family and 51 more')).toBeTruthy()
  expect(panel.getByText('The account has left 2 groups')).toBeTruthy()
  expect(panel.getByText('In 1 group only admins can write')).toBeTruthy()
})

//
test('the preview warns of more recipients than a job allows', async () => {
  let answer: NonNullable<Answers['POST /jobs/preview']> = () => ({ ...calm, recipients: 100_000 })
  const words = 'A job can have 100,000 recipients at most.'
  const { panel, type } = await open((request) => answer(request))
  await type('1')
  await panel.findByText('100,000')
  expect(panel.queryByText(words)).toBeNull()
  answer = () => refuse(400, 'too_many_recipients')
  await type('2')
  expect(await panel.findByText(words)).toBeTruthy()
  expect(panel.queryByText('100,000')).toBeNull()
  answer = () => ({ ...calm, recipients: 99_999 })
  await type('3')
  expect(await panel.findByText('99,999')).toBeTruthy()
})

test('the previous preview stays while the next one loads', async () => {
  let answer: () => void = () => {}
  let tries = 0
  const { panel, type, requests } = await open(() => {
    tries += 1
    if (tries === 1) return { ...calm, recipients: 7 }
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    const stream = new ReadableStream({
      start: (controller) =>
        held.then(() => {
          controller.enqueue(new TextEncoder().encode(JSON.stringify({ ...calm, recipients: 8 })))
          controller.close()
        }),
    })
    return new Response(stream)
  })
  await type('1')
  await panel.findByText('7')
  await type('2')
  expect(panel.getByText('7').closest('[aria-busy=true]')).toBeTruthy()
  await waitFor(() => expect(previewRequests(requests)).toHaveLength(2))
  expect(panel.getByText('7').closest('[aria-busy=true]')).toBeTruthy()
  answer()
  expect((await panel.findByText('8')).closest('[aria-busy=true]')).toBeNull()
})

// R-1216
test('the preview says what holds the account, and until when', async () => {
  const until = '2026-11-26T17:00:00.000Z'
  const { panel, type } = await open(() => ({
    ...calm,
    hold: { why: { code: 'quiet_hours', params: {} }, until },
  }))
  await type('0901234567')
  expect(await panel.findByText(/^Quiet hours are on. Until .*26/)).toBeTruthy()
})

test('a failed preview shows its error in place, without a toast', async () => {
  const { panel, type } = await open(() => refuse(500, 'internal'))
  await type('1')
  expect(await panel.findByText('Preview unavailable.')).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
})

// R-1157
test('the preview counts who gets nothing', async () => {
  const { panel, type } = await open(() => ({ ...calm, optedOut: 2, notOnWhatsapp: 1 }))
  await type('0901234567')
  expect(await panel.findByText('2 recipients have opted out')).toBeTruthy()
  expect(panel.getByText('1 number is not on WhatsApp')).toBeTruthy()
})
