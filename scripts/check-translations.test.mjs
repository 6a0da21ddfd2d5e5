import { expect, test } from 'vitest'
import { translationMistakes } from './check-translations.mjs'

const mistakes = (en, code, vi = en) => translationMistakes({ vi, en, cn: en }, code)

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
  const one = { SENT: '{{count}} sent' }
  const words = { vi: one, en: { ...one, SENT_one: '{{count}} was sent' }, cn: one }
  expect(translationMistakes(words, `t('SENT', { count })`)).toEqual([])
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
