import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { useSimulator } from '../../test/simulated.ts'
import { allMessages } from './provider.ts'
import { eventOf } from './whapi-events.ts'
import { incomingMessageOf } from './whapi-incoming.ts'

const simulated = useSimulator()
const whapi = () => simulated.providers().live

// The simulator's tests compare this call with Whapi's OpenAPI file.
const file = path.resolve(import.meta.dirname, '../../../simulator/test/whapi-incoming.json')
const call = JSON.parse(readFileSync(file, 'utf8'))

const [phone, lid] = ['84901234567', '123456789012345']
// R-1190
test('a webhook call has the private messages of others, with their sender, text and quote', () => {
  const byPhone = { chatId: `${phone}@s.whatsapp.net`, from: { kind: 'phone', value: phone } }
  const known = { ...byPhone, quotedId: null, senderPhone: phone, senderLid: null }
  const hidden = { chatId: `${lid}@lid`, quotedId: null, senderLid: lid, text: 'STOP' }
  const byLid = { ...hidden, from: { kind: 'lid', value: lid }, senderPhone: null }
  const quotedId = 'Ln0sA6lQeuJl7PW1NWiFpQ-wC4TxIIHhw'

  const { incoming, ...rest } = eventOf(call)

  expect(rest).toEqual({ receipts: [], votes: [], instance: null, groupsChanged: false })
  expect(incoming).toEqual([
    { ...known, id: 'text-AAAA', text: 'Dừng', timestamp: 1767225700, quotedId },
    { ...known, id: 'link-AAAA', text: 'see https://a.example', timestamp: 1767225701 },
    { ...known, id: 'image-AAAA', text: 'stop', timestamp: 1767225702 },
    { ...known, id: 'voice-AAAA', text: '', timestamp: 1767225703 },
    { ...byLid, id: 'lid-AAAA', timestamp: 1767225704 },
    { ...byLid, id: 'bare.lid-AAAA', timestamp: 1767225705 },
    { ...hidden, from: byPhone.from, senderPhone: phone, id: 'both-AAAA', timestamp: 1767225706 },
    { ...known, senderLid: lid, id: 'both.too-AAAA', text: 'STOP', timestamp: 1767225707 },
  ])
})

const [text] = call.messages
test.each([
  ['no id', { id: undefined }],
  ['an endless id', { id: 'x'.repeat(201) }],
  ['no time', { timestamp: undefined }],
  ['a chat without a number', { chat_id: 'a@s.whatsapp.net' }],
  ['a chat that is none', { chat_id: 7 }],
])('a message with %s is none', (_name, fields) => {
  expect(incomingMessageOf({ ...text, ...fields })).toBeNull()
})

test('a text can be stored, and ends somewhere', () => {
  const body = `a\0${'🌸'.repeat(3000)}`
  const stored = incomingMessageOf({ ...text, text: { body } })?.text ?? ''
  expect(stored).toHaveLength(4000)
  expect([stored.includes('\0'), stored.isWellFormed()]).toEqual([false, true])
})

// R-1190
test('incoming messages are read since a time, to the last page, without groups and our own', async () => {
  const credentials = { token: 'test_linked_incoming' }
  const draft = { token: credentials.token, type: 'text', source: 'mobile' } as const
  const chat = { to: `${phone}@s.whatsapp.net`, from: phone }
  const { ledger } = simulated.simulator
  ledger.accept({ ...draft, ...chat, body: 'long ago' }, 1_600_000_000_000)
  for (let n = 0; n < 600; n++) ledger.accept({ ...draft, ...chat, body: `${n}` }, Date.now())
  ledger.accept({ ...draft, to: '120363194050948049@g.us', from: phone, body: 'group' }, Date.now())
  ledger.accept({ ...draft, to: chat.to, body: 'ours' }, Date.now())

  const { messages, clockAheadMs } = await allMessages(whapi().incomingMessages(credentials, 1_600_000_001))

  expect(messages.map((message) => message.text)).toEqual(Array.from({ length: 600 }, (_, n) => `${n}`))
  expect(Math.abs(clockAheadMs)).toBeLessThan(2000)
})
