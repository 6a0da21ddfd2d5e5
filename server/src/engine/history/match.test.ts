import { describe, expect, test } from 'vitest'
import { matchMessages, type UnknownMessage, type UnsentDelivery } from './match.ts'

const message = (id: string, more: Partial<UnknownMessage> = {}): UnknownMessage => ({
  id,
  chatId: 'anna',
  sentAt: 1000,
  jobIds: [1],
  ...more,
})
const delivery = (id: number, more: Partial<UnsentDelivery> = {}): UnsentDelivery => ({
  id,
  jobId: 1,
  chatId: 'anna',
  status: 'queued',
  endedAt: null,
  wasTried: false,
  ...more,
})

type Case = [string, UnknownMessage[], UnsentDelivery[], [deliveryId: number, providerMessageId: string][]]

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
  ['a job that ended later', [message('m')], [delivery(7, { status: 'skipped', endedAt: 2000 })], [[7, 'm']]],
  ['a retry that was lost', [message('m')], [delivery(7, { status: 'failed', endedAt: 500 })], [[7, 'm']]],
  [
    'one message, a retry that was lost or a queued one',
    [message('m', { jobIds: [1, 2] })],
    [delivery(7, { status: 'failed', endedAt: 500 }), delivery(8, { jobId: 2 })],
    [[8, 'm']],
  ],
  [
    'one message, failed before in an unfinished job or skipped after it',
    [message('m', { jobIds: [1, 2] })],
    [delivery(7, { status: 'failed' }), delivery(8, { jobId: 2, status: 'skipped', endedAt: 1000 })],
    [[8, 'm']],
  ],
  [
    'one message, refused before in a job that ended later or queued',
    [message('m', { jobIds: [1, 2] })],
    [delivery(7, { status: 'failed', endedAt: 2000, wasTried: true }), delivery(8, { jobId: 2 })],
    [[8, 'm']],
  ],
  [
    'one message, in doubt or skipped',
    [message('m', { jobIds: [1, 2] })],
    [delivery(7, { status: 'skipped', endedAt: 2000 }), delivery(8, { jobId: 2, status: 'doubt' })],
    [],
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
