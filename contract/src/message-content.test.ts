import { expect, test } from 'vitest'
import { captionOf } from './captions.ts'
import { limits } from './limits.ts'
import { NewMessage } from './messages.ts'

const file = `${'a'.repeat(32)}.mp4`
const video = { kind: 'video', file, fileName: 'Sale.mp4' }
const poll = { kind: 'poll', options: ['Yes', 'No'], allowsSeveral: false }
const place = { kind: 'location', latitude: 10.77, longitude: 106.7, address: '' }

const errorsOf = (message: object) =>
  NewMessage.safeParse({ textContent: 'Hello', ...message }).error?.issues.map(({ path, message: key }) => [
    path.join('.'),
    key,
  ]) ?? []

// R-1600
test.each([
  ['a text', {}],
  ['a text that says so', { content: null }],
  ['a video', { content: video }],
  ['a video without a caption', { content: video, textContent: '' }],
  ['a poll', { content: poll }],
  ['a place', { content: place }],
])('%s can be a message', (_name, message) => {
  expect(errorsOf(message)).toEqual([])
})

// R-1600, R-2233
test.each<[string, object, string, string]>([
  ['a poll without a question', { content: poll, textContent: ' ' }, 'textContent', 'MESSAGE.TEXT_REQUIRED'],
  ['a place without a name', { content: place, textContent: '' }, 'textContent', 'MESSAGE.TEXT_REQUIRED'],
  [
    'a long question',
    { content: poll, textContent: 'x'.repeat(256) },
    'textContent',
    'MESSAGE.QUESTION_TOO_LONG',
  ],
  [
    'a question that is long by its blanks',
    { content: poll, textContent: `Tea?${' '.repeat(252)}` },
    'textContent',
    'MESSAGE.QUESTION_TOO_LONG',
  ],
  [
    'one answer',
    { content: { ...poll, options: ['Yes'] } },
    'content.options',
    'MESSAGE.POLL_OPTIONS_TOO_FEW',
  ],
  [
    'thirteen answers',
    { content: { ...poll, options: Array.from({ length: 13 }, (_, n) => `${n}`) } },
    'content.options',
    'MESSAGE.POLL_OPTIONS_TOO_MANY',
  ],
  [
    'the same answer twice',
    { content: { ...poll, options: ['Yes', ' Yes '] } },
    'content.options',
    'MESSAGE.POLL_OPTIONS_ALIKE',
  ],
  [
    'an empty answer',
    { content: { ...poll, options: ['Yes', ' '] } },
    'content.options.1',
    'MESSAGE.POLL_OPTION_INVALID',
  ],
  [
    'a place on no map',
    { content: { ...place, latitude: 91 } },
    'content.latitude',
    'MESSAGE.COORDINATES_INVALID',
  ],
  [
    'the path of a file',
    { content: { ...video, file: '../secret.mp4' } },
    'content.file',
    'MESSAGE.FILE_REQUIRED',
  ],
  [
    'a path as a name',
    { content: { ...video, fileName: '../a.mp4' } },
    'content.fileName',
    'MESSAGE.FILE_NAME_INVALID',
  ],
  [
    'a name with a variable',
    { content: { ...video, fileName: '{{name}}.mp4' } },
    'content.fileName',
    'MESSAGE.FILE_NAME_INVALID',
  ],
  [
    'a name that turns its end',
    { content: { ...video, fileName: 'gpj\u202E.exe' } },
    'content.fileName',
    'MESSAGE.FILE_NAME_INVALID',
  ],
  [
    'a name of more than 255 bytes',
    { content: { ...video, fileName: `${'ế'.repeat(84)}.mp4` } },
    'content.fileName',
    'MESSAGE.FILE_NAME_INVALID',
  ],
])('%s is refused', (_name, message, path, key) => {
  expect(errorsOf(message)).toEqual([[path, key]])
})

test('the limits of a poll are those of Whapi', () => {
  expect([limits.pollOptionsMin, limits.pollOptionsMax]).toEqual([2, 12])
})

test('the name of a file is no caption', () => {
  expect(captionOf({ textContent: 'Sale.mp4', content: video })).toBe('')
  expect(captionOf({ textContent: 'Only today', content: video })).toBe('Only today')
  expect(captionOf({ textContent: 'Hello', content: null })).toBe('Hello')
})
