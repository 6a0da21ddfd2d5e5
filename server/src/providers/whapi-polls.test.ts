import { readFileSync } from 'node:fs'
import path from 'node:path'
import { groupId } from '@sendroom/simulator'
import { expect, test } from 'vitest'
import { useSimulator } from '../../test/simulated.ts'
import { eventOf } from './whapi-events.ts'

const simulated = useSimulator()
const whapi = () => simulated.providers().live
const credentials = { token: 'test_linked_polls' }

const control = async (name: string, body: object) => {
  const reply = await fetch(`${simulated.simulator.url}/_control/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(reply.status).toBe(200)
}

async function sendPoll() {
  const content = { kind: 'poll' as const, question: 'Khi nào?', options: ['Sáng', 'Chiều'] }
  const to = groupId(credentials.token, 20)
  const outcome = await whapi().send(credentials, to, { content: { ...content, allowsSeveral: true } })
  return outcome.kind === 'sent' ? outcome.providerMessageId : expect.unreachable('the poll was not sent')
}

// R-1730
test('the results of a poll are read with their voters, by number or by LID', async () => {
  const id = await sendPoll()
  const vote = (from: string, options: string[]) => control('votes', { ...credentials, id, from, options })

  expect(await whapi().pollResults(credentials, id)).toEqual({
    providerMessageId: id,
    options: [
      { name: 'Sáng', count: 0, voters: [] },
      { name: 'Chiều', count: 0, voters: [] },
    ],
  })
  await vote('84901234567', ['Sáng', 'Chiều'])
  await vote('123456789012345@lid', ['Chiều'])
  expect((await whapi().pollResults(credentials, id))?.options).toEqual([
    { name: 'Sáng', count: 1, voters: ['84901234567'] },
    { name: 'Chiều', count: 2, voters: ['84901234567', '123456789012345@lid'] },
  ])
})

// R-1702
test.each([
  ['two equal options', ['Sáng', 'Sáng']],
  ['one option', ['Sáng']],
])('a poll with %s is refused for its content, not for its recipient', async (_name, options) => {
  const content = { kind: 'poll' as const, question: 'Khi nào?', options, allowsSeveral: false }

  expect(await whapi().send(credentials, '84901234567', { content })).toMatchObject({
    kind: 'rejected',
    reason: { code: 'content_refused' },
  })
})

test('a message that is unknown or no poll has no results, and any other failure is an error', async () => {
  const text = await whapi().send(credentials, '84901234567', { content: { kind: 'text', text: 'x' } })
  const id = text.kind === 'sent' ? text.providerMessageId : ''

  expect(await whapi().pollResults(credentials, 'abcd-abcd')).toBeNull()
  expect(await whapi().pollResults(credentials, id)).toBeNull()
  await expect(whapi().pollResults({ token: 'unknown' }, id)).rejects.toMatchObject({ status: 'BadToken' })
  simulated.simulator.faults.add({ kind: 'status', status: 500, path: '^/messages/', times: 1 })
  await expect(whapi().pollResults(credentials, id)).rejects.toMatchObject({ kind: 'unreachable' })
})

const results = [
  { id: 'a', name: 'Sáng', count: 2, voters: ['84901234567@s.whatsapp.net', '123456789012345@lid'] },
  { id: 'b', name: 'Chiều', count: 0, voters: [] },
]
const poll = { title: 'Khi nào?', options: ['Sáng', 'Chiều'], results }
const expected = {
  providerMessageId: 'p.w30M7f-gBgTwl0rVw',
  options: [
    { name: 'Sáng', count: 2, voters: ['84901234567', '123456789012345@lid'] },
    { name: 'Chiều', count: 0, voters: [] },
  ],
}
const message = { id: 'p.w30M7f-gBgTwl0rVw', from_me: true, type: 'poll', chat_id: '1@g.us', poll }
const update = { id: message.id, before_update: message, after_update: message, changes: ['poll'] }

// R-1731
test.each([
  ['an update of the poll', { messages_updates: [update] }, [expected]],
  ['a message of the type poll_update', { messages: [{ ...message, type: 'poll_update' }] }, [expected]],
  [
    'both',
    { messages_updates: [update], messages: [{ ...message, type: 'poll_update' }] },
    [expected, expected],
  ],
  [
    'an update that has the id alone',
    { messages_updates: [{ id: message.id, after_update: { poll } }] },
    [expected],
  ],
  ['our new poll', { messages: [message] }, []],
  [
    'an update of a poll of somebody else',
    { messages_updates: [{ ...update, after_update: { ...message, from_me: false } }] },
    [],
  ],
  ['an update of a text', { messages_updates: [{ after_update: { ...message, poll: undefined } }] }, []],
  ['an update without a message', { messages_updates: [{ id: message.id }, null, 'x'] }, []],
  [
    'an id that nobody has',
    { messages_updates: [{ after_update: { ...message, id: 'x'.repeat(201) } }] },
    [],
  ],
])('the votes in %s are read', (_name, body, votes) => {
  expect(eventOf(body)).toMatchObject({ votes, incoming: [], receipts: [] })
})

// R-1731
test('votes of any form are bounded, and can be stored', () => {
  const odd = {
    ...message,
    poll: {
      results: Array.from({ length: 20 }, () => ({
        name: `${'x'.repeat(199)}😀\0`,
        count: -1,
        voters: ['1@s.whatsapp.net', '1@c.us', 5, null, '', 'y'.repeat(300)],
      })),
    },
  }

  const [read] = eventOf({ messages_updates: [{ after_update: odd }] }).votes
  expect(read?.options).toHaveLength(12)
  expect(read?.options[0]).toMatchObject({ count: 1, voters: ['1'] })
  expect(read?.options[0]?.name.isWellFormed()).toBe(true)
  expect(read?.options[0]?.name).toHaveLength(200)
})

test('an incoming call without votes has none', () => {
  const file = path.resolve(import.meta.dirname, '../../../simulator/test/whapi-incoming.json')
  expect(eventOf(JSON.parse(readFileSync(file, 'utf8'))).votes).toEqual([])
})
