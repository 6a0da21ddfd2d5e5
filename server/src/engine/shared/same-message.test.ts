import { expect, test } from 'vitest'
import type { OwnMessage } from '../../providers/provider.ts'
import type { JobContent } from './job-content.ts'
import { isEvidenceCertain, isSameMessage } from './same-message.ts'

const listed: OwnMessage = {
  id: 'a',
  chatId: '1@g.us',
  kind: 'text',
  text: '',
  options: [],
  location: null,
  media: null,
  timestamp: 0,
  fromPhone: false,
}
const text: JobContent = { content: null, hasImage: false, file: null }
const poll: JobContent = { ...text, content: { kind: 'poll', options: ['Yes', 'No'], allowsSeveral: false } }
const place: JobContent = {
  ...text,
  content: { kind: 'location', latitude: 10.77001, longitude: 106.7, address: '' },
}
const sha256 = 'ab'.repeat(32)
const fileOf = (kind: 'video' | 'document' | 'voice', fileName: string): JobContent => ({
  ...text,
  content: { kind, fileName },
  file: { sha256, size: 1000, seconds: null },
})
const hash = { sha256, size: 1000, fileName: null }
const encodedAgain = { sha256: 'cd'.repeat(32), size: 900, fileName: null }

// R-1602, R-2271
test.each<[string, JobContent & { text: string }, Partial<OwnMessage>, boolean]>([
  ['the same text', { ...text, text: 'Hi' }, { text: 'Hi ' }, true],
  ['an image with the text', { ...text, text: 'Hi' }, { kind: 'image', text: 'Hi' }, false],
  [
    'a video with its caption',
    { ...fileOf('video', 'a.mp4'), text: 'Hi' },
    { kind: 'video', text: 'Hi', media: encodedAgain },
    true,
  ],
  [
    'a video with another caption',
    { ...fileOf('video', 'a.mp4'), text: 'Hi' },
    { kind: 'video', text: 'Ho', media: hash },
    false,
  ],
  [
    'a video by its bytes',
    { ...fileOf('video', 'a.mp4'), text: 'a.mp4' },
    { kind: 'video', media: hash },
    true,
  ],
  [
    'a video encoded again',
    { ...fileOf('video', 'a.mp4'), text: 'a.mp4' },
    { kind: 'video', media: encodedAgain },
    false,
  ],
  [
    'the bytes as another kind',
    { ...fileOf('video', 'a.mp4'), text: 'a.mp4' },
    { kind: 'document', media: hash },
    false,
  ],
  [
    'a document by name and size',
    { ...fileOf('document', 'a.pdf'), text: 'a.pdf' },
    { kind: 'document', media: { sha256: null, size: 1000, fileName: 'a.pdf' } },
    true,
  ],
  [
    'a document whose name is given as its caption',
    { ...fileOf('document', 'a.pdf'), text: 'a.pdf' },
    { kind: 'document', text: 'a.pdf', media: { ...hash, fileName: 'a.pdf' } },
    true,
  ],
  [
    'a document of another size',
    { ...fileOf('document', 'a.pdf'), text: 'a.pdf' },
    { kind: 'document', media: { sha256: null, size: 999, fileName: 'a.pdf' } },
    false,
  ],
  [
    'a voice message of which nothing is told',
    { ...fileOf('voice', 'a.ogg'), text: 'a.ogg' },
    { kind: 'voice', media: { sha256: null, size: null, fileName: null } },
    false,
  ],
  [
    'a voice message by its bytes, whatever its text',
    { ...fileOf('voice', 'a.ogg'), text: 'Hi' },
    { kind: 'voice', media: hash },
    true,
  ],
  ['a poll', { ...poll, text: 'Tea?' }, { kind: 'poll', text: 'Tea?', options: ['Yes', 'No'] }, true],
  [
    'a poll with other answers',
    { ...poll, text: 'Tea?' },
    { kind: 'poll', text: 'Tea?', options: ['No', 'Yes'] },
    false,
  ],
  [
    'a document with its name and a blank as the text',
    { ...fileOf('document', 'a.pdf'), text: 'a.pdf ' },
    { kind: 'document', text: 'a.pdf', media: { ...hash, fileName: 'a.pdf' } },
    true,
  ],
  [
    'a place on the meridian of 180 degrees, listed as the one of -180',
    { ...place, content: { kind: 'location', latitude: -17, longitude: 180, address: '' }, text: 'Shop' },
    { kind: 'location', location: { latitude: -17, longitude: -180 } },
    true,
  ],
  [
    'a place beside that meridian, listed on its other side',
    {
      ...place,
      content: { kind: 'location', latitude: -17, longitude: -179.999999, address: '' },
      text: 'Shop',
    },
    { kind: 'location', location: { latitude: -17, longitude: 179.9999999 } },
    true,
  ],
  [
    'a place on the other side of the earth',
    { ...place, content: { kind: 'location', latitude: -17, longitude: 180, address: '' }, text: 'Shop' },
    { kind: 'location', location: { latitude: -17, longitude: 0 } },
    false,
  ],
  [
    'a place that the provider has rounded down',
    {
      ...place,
      content: { kind: 'location', latitude: 10.776885, longitude: 106.7, address: '' },
      text: 'Shop',
    },
    { kind: 'location', location: { latitude: 10.7768849, longitude: 106.7000003 } },
    true,
  ],
  [
    'a place',
    { ...place, text: 'Shop' },
    { kind: 'location', location: { latitude: 10.770012, longitude: 106.7 } },
    true,
  ],
  [
    'another place',
    { ...place, text: 'Shop' },
    { kind: 'location', location: { latitude: 10.7702, longitude: 106.7 } },
    false,
  ],
])('%s: %#', (_name, job, message, isSame) => {
  expect(isSameMessage(job, { ...listed, ...message })).toBe(isSame)
})

// R-1601
test.each<[string, JobContent & { text: string }, string, boolean]>([
  ['a text', { ...text, text: 'Hi' }, '1@g.us', true],
  ['a poll', { ...poll, text: 'Tea?' }, '1@g.us', true],
  ['a video with a caption', { ...fileOf('video', 'a.mp4'), text: 'Hi' }, '1@g.us', true],
  ['a video without one', { ...fileOf('video', 'a.mp4'), text: 'a.mp4' }, '1@g.us', false],
  [
    'a voice message with another text than the name',
    { ...fileOf('voice', 'a.ogg'), text: 'Hi' },
    '1@g.us',
    false,
  ],
  [
    'a video with a caption that may be cut off',
    { ...fileOf('video', 'a.mp4'), text: 'x'.repeat(1025) },
    '1@g.us',
    false,
  ],
  ['an image with such a caption', { ...text, hasImage: true, text: 'x'.repeat(1025) }, '1@g.us', false],
  ['a long text', { ...text, text: 'x'.repeat(4000) }, '1@g.us', true],
  ['a poll with a long question', { ...poll, text: 'x'.repeat(256) }, '1@g.us', false],
  ['a text in a channel', { ...text, text: 'Hi' }, '1@newsletter', false],
])('whether the evidence of %s is certain', (_name, job, chatId, isCertain) => {
  expect(isEvidenceCertain({ ...job, chatId })).toBe(isCertain)
})
