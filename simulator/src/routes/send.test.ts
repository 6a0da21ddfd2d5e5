import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { png, useSimulator } from '../../test/client.ts'
import { groupId, specialGroups } from '../index.ts'
import { messageIdPattern } from '../wire/identifiers.ts'

const simulator = useSimulator()
const group = (token: string) => groupId(token, 20)

test('a text is accepted as pending and recorded in the ledger', async () => {
  const token = simulator.linked()
  const { status, body } = await simulator.call(token, 'POST /messages/text', {
    to: '84901234567',
    body: 'Chào 👋',
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    sent: true,
    message: {
      id: expect.stringMatching(messageIdPattern),
      from_me: true,
      type: 'text',
      chat_id: '84901234567@s.whatsapp.net',
      source: 'api',
      status: 'pending',
      text: { body: 'Chào 👋' },
    },
  })
  expect(simulator.ledger.list(token)).toEqual([
    {
      id: body.message.id,
      at: expect.any(Number),
      token,
      to: '84901234567@s.whatsapp.net',
      type: 'text',
      body: 'Chào 👋',
      source: 'api',
    },
  ])
})

test('the id of a group message has the longer form', async () => {
  const token = simulator.linked()
  const { body } = await simulator.call(token, 'POST /messages/text', { to: group(token), body: 'x' })
  expect(body.message.id).toMatch(/^[\w.]{22}-[\w.]{14}$/)
  expect(body.message.id).toMatch(messageIdPattern)
})

test('the same request twice sends two messages', async () => {
  const token = simulator.linked()
  const ids = new Set<string>()
  for (let i = 0; i < 2; i++) {
    ids.add(
      (await simulator.call(token, 'POST /messages/text', { to: group(token), body: 'x' })).body.message.id,
    )
  }
  expect(ids.size).toBe(2)
  expect(simulator.ledger.list(token, group(token))).toHaveLength(2)
})

test.each([
  ['a plus sign', { to: '+84901234567', body: 'x' }, 400],
  ['no recipient', { body: 'x' }, 400],
  ['a number not on WhatsApp', { to: '84901230000', body: 'x' }, 400],
  ['a national number', { to: '0901234567', body: 'x' }, 400],
  ['a hidden number', { to: '123456789012345@lid', body: 'x' }, 400],
  ['no body', { to: '84901234567' }, 400],
  ['an empty body', { to: '84901234567', body: '' }, 400],
  ['a body that is not a text', { to: '84901234567', body: 5 }, 400],
  ['an hour of typing', { to: '84901234567', body: 'x', typing_time: 3600 }, 400],
  ['too long a body', { to: '84901234567', body: 'x'.repeat(65_537) }, 413],
  ['a group that we are not in', { to: '120363194050948049@g.us', body: 'x' }, 403],
])('a text with %s is refused', async (_name, form, status) => {
  const token = simulator.linked()
  expect((await simulator.call(token, 'POST /messages/text', form)).status).toBe(status)
  expect(simulator.ledger.list(token)).toEqual([])
})

test('an announcement group refuses members and accepts admins', async () => {
  const token = simulator.linked()
  const special = specialGroups(token)
  const statusIn = async (to: string) =>
    (await simulator.call(token, 'POST /messages/text', { to, body: 'x' })).status
  expect(await statusIn(special.announcementsOnly)).toBe(403)
  expect(await statusIn(special.communityAnnounce)).toBe(403)
  expect(await statusIn(special.left)).toBe(403)
  expect(await statusIn(special.announcementsAsAdmin)).toBe(200)
  expect(await statusIn(special.legacy)).toBe(200)
})

test('an image is sent by media id, data URI, base64 or form, and the ledger holds its hash', async () => {
  const token = simulator.linked()
  const uploaded = await simulator.call(token, 'POST /media', png)
  const form = new FormData()
  form.set('to', group(token))
  form.set('caption', 'Ảnh')
  form.set('media', new Blob([png]), 'a.png')
  const media = [uploaded.body.media[0].id, `data:image/png;name=a.png;base64,${png.toString('base64')}`]
  for (const body of [
    ...media.map((value) => ({ to: group(token), caption: 'Ảnh', media: value })),
    { to: group(token), caption: 'Ảnh', media: png.toString('base64'), mime_type: 'image/png' },
    form,
  ]) {
    const answer = await simulator.call(token, 'POST /messages/image', body)
    expect(answer.body.message).toMatchObject({
      type: 'image',
      image: { caption: 'Ảnh', mime_type: 'image/png' },
    })
  }
  const sha256 = createHash('sha256').update(png).digest('base64')
  const entries = simulator.ledger.list(token)
  expect(entries.map((entry) => entry.media?.sha256)).toEqual([sha256, sha256, sha256, sha256])
  expect(entries[0]?.media?.id).toBe(uploaded.body.media[0].id)
})

test.each([
  ['an unknown media id', 'jpeg-2e7d2c03a9507ae265ecf5b5356885a5-c02e13c4820787', 404],
  ['bytes that are not an image', Buffer.from('%PDF-1.7 and so on').toString('base64'), 415],
  ['a link', 'https://example.com/a.png', 400],
  ['nothing', undefined, 400],
])('an image sent as %s is refused', async (_name, media, status) => {
  const token = simulator.linked()
  expect((await simulator.call(token, 'POST /messages/image', { to: '84901234567', media })).status).toBe(
    status,
  )
  expect(simulator.ledger.list(token)).toEqual([])
})
