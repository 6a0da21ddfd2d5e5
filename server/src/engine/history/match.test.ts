import { describe, expect, test } from 'vitest'
import { matchMessages, type OpenDelivery, type UnknownMessage } from './match.ts'

const message = (id: string, more: Partial<UnknownMessage> = {}): UnknownMessage => ({
  id,
  chatId: 'anna',
  sentAt: 1000,
  jobIds: [1],
  ...more,
})
const delivery = (id: number, more: Partial<OpenDelivery> = {}): OpenDelivery => ({
  id,
  jobId: 1,
  chatId: 'anna',
  status: 'queued',
  ...more,
})

type Case = [string, UnknownMessage[], OpenDelivery[], [deliveryId: number, providerMessageId: string][]]

const cases: Case[] = [
  ['a message and its delivery', [message('m')], [delivery(7)], [[7, 'm']]],
  ['no message', [], [delivery(7)], []],
  ['a message in another chat', [message('m', { chatId: 'bob' })], [delivery(7)], []],
  ['a message of another job', [message('m', { jobIds: [2] })], [delivery(7)], []],
  [
    'one message, two jobs with its text',
    [message('m', { jobIds: [1, 2] })],
    [delivery(8, { jobId: 2 }), delivery(7)],
    [[7, 'm']],
  ],
  [
    'two messages, two jobs with their text',
    [message('late', { jobIds: [1, 2], sentAt: 2000 }), message('early', { jobIds: [1, 2] })],
    [delivery(8, { jobId: 2 }), delivery(7)],
    [
      [7, 'early'],
      [8, 'late'],
    ],
  ],
  ['two messages, one delivery', [message('m'), message('n')], [delivery(7)], [[7, 'm']]],
  ['one message that is in doubt', [message('m')], [delivery(7, { status: 'doubt' })], []],
  [
    'one message, in doubt or queued',
    [message('m', { jobIds: [1, 2] })],
    [delivery(7), delivery(8, { jobId: 2, status: 'doubt' })],
    [],
  ],
  [
    'two messages, one being sent and one queued',
    [message('m', { jobIds: [1, 2] }), message('n', { jobIds: [1, 2], sentAt: 2000 })],
    [delivery(7), delivery(8, { jobId: 2, status: 'sending' })],
    [[7, 'n']],
  ],
]

describe('which deliveries the unknown messages belong to', () => {
  test.each(cases)('%s', (_name, messages, deliveries, expected) => {
    const found = matchMessages(messages, deliveries)

    expect(found.map(({ deliveryId, providerMessageId }) => [deliveryId, providerMessageId])).toEqual(
      expected,
    )
  })
})
