import { expect, test } from 'vitest'
import { translationMistakes } from './check-translations.mjs'

/** The mistakes in keys and placeholders. The languages may be the same here. */
const mistakes = (en, code, vi = en) =>
  translationMistakes({ vi, en, cn: en }, code).filter((mistake) => !mistake.includes('English word'))

test.each([
  ['a key in a call', { JOBS: { TITLE: 'Jobs' } }, `t('JOBS.TITLE')`],
  ['a key in a table', { JOBS: { ID: 'Id' } }, `{ header: 'JOBS.ID' }`],
  [
    'a plural',
    { JOBS: { SENT_one: '{{count}} one', SENT_other: '{{count}} many' } },
    `t('JOBS.SENT', { count })`,
  ],
  ['a use of keys by prefix', { STATUS: { Failed: 'Failed' } }, `t('STATUS.' + job.status)`],
  ['an apostrophe before a key', { JOBS: { TITLE: 'Jobs' } }, `// don't ask\nt('JOBS.TITLE') // don't`],
])('%s is not a mistake', (_, en, code) => {
  expect(mistakes(en, code)).toEqual([])
})

test('a plural form is needed only in languages that have it', () => {
  const one = { SENT: '{{count}}' }
  const words = { vi: one, en: { ...one, SENT_one: '{{count}} was sent' }, cn: one }
  expect(translationMistakes(words, `t('SENT', { count })`)).toEqual([])
})

const inBoth = (vi, cn) => translationMistakes({ vi: { A: vi }, en: { A: 'a' }, cn: { A: cn } }, `t('A')`)

test.each([
  ['Vietnamese', 'Nghiêng nghiêng, đồng bộ, quản trị viên khuya', '同步'],
  ['names and loanwords', 'Token của WhatsApp, email', 'WhatsApp 的 API，5 MB'],
])('%s is no English', (_, vi, cn) => {
  expect(inBoth(vi, cn)).toEqual([])
})

test('an English word in Vietnamese or Chinese is a mistake', () => {
  expect(inBoth('Đang sync nhóm', '请先 sync 群组')).toEqual([
    'vi: A has the English word “sync”.',
    'cn: A has the English word “sync”.',
  ])
})

test.each([
  ['a key in one language only', { A: 'a' }, `t('A')`, {}, 'vi: A is missing.'],
  ['an empty text', { A: 'a' }, `t('A')`, { A: ' ' }, 'vi: A is empty.'],
  [
    'a difference in placeholders',
    { A: 'a {{name}}' },
    `t('A')`,
    { A: 'a {{nam}}' },
    'A does not have the same placeholders in all languages: {{nam}} / {{name}}',
  ],
  ['a missing key', {}, `t('A')`, {}, 'A is used and not translated.'],
  [
    'a missing key of the contract',
    {},
    `.min(1, 'A_FORM.NAME')`,
    {},
    'A_FORM.NAME is used and not translated.',
  ],
  ['an unused key', { A: 'a' }, '', { A: 'a' }, 'A is translated and not used.'],
])('%s is a mistake', (_, en, code, vi, mistake) => {
  expect(mistakes(en, code, vi)).toEqual([mistake])
})
