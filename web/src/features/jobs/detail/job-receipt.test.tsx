import type { SentMessage } from '@sendroom/contract/job-rows'
import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { done } from '../../../../test/job.ts'
import { renderApp } from '../../../../test/render.tsx'
import { pageOf } from '../../../../test/server.ts'

const at = '2026-01-02T03:04:07.000Z'
const person = { deliveredTo: null, readBy: null, members: null }

test.each<[string, Partial<SentMessage>, string | null]>([
  ['a message that was only sent', {}, null],
  ['a message that a person got', { ...person, deliveredAt: at }, 'Delivered'],
  ['a message that a person read', { ...person, deliveredAt: at, readAt: at }, 'Read'],
  [
    'a message to a group',
    { deliveredAt: at, readAt: at, deliveredTo: 1200, readBy: 2, members: 1500 },
    'Delivered to 1,200, read by 2 of 1,500 members',
  ],
  [
    'a message to a group of unknown size',
    { deliveredAt: at, deliveredTo: 2, readBy: 0, members: null },
    'Delivered to 2, read by 0',
  ],
  ['a failed message', { status: 'Failed' }, null],
  // R-1810
  ['a post to a channel', { ...person, recipientId: '2@newsletter' }, 'No receipts in channels'],
])('the receipt of %s', async (_, change, words) => {
  const [sent] = done.sentMessages
  if (!sent) throw new Error('The job has sent nothing.')
  renderApp({
    path: '/jobs/3',
    answers: {
      'GET /jobs/:id': () => done,
      'GET /jobs/:id/recipients': () => pageOf([{ ...sent, ...change }]),
    },
  })
  const table = within(await screen.findByRole('table', { name: 'Result for each recipient' }))
  const place = table.getAllByRole('columnheader').findIndex((header) => header.textContent === 'Receipt')
  expect(table.getAllByRole('cell')[place]?.textContent || null).toBe(words)
})
