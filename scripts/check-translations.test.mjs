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
  ['keys by their prefix', { STATUS: { Failed: 'Failed' } }, `t('STATUS.' + job.status)`],
  ['an apostrophe before a key', { JOBS: { TITLE: 'Jobs' } }, `// don't ask\nt('JOBS.TITLE') // don't`],
])('%s is in order', (_, en, code) => {
  expect(mistakes(en, code)).toEqual([])
})

test('a plural form is needed only where the language has it', () => {
  const one = { SENT: '{{count}} sent' }
  const words = { vi: one, en: { ...one, SENT_one: '{{count}} was sent' }, cn: one }
  expect(translationMistakes(words, `t('SENT', { count })`)).toEqual([])
})

test.each([
  ['a key in one language only', { A: 'a' }, `t('A')`, {}, 'vi: A is missing.'],
  ['an empty text', { A: 'a' }, `t('A')`, { A: ' ' }, 'vi: A is empty.'],
  [
    'other placeholders',
    { A: 'a {{name}}' },
    `t('A')`,
    { A: 'a {{nam}}' },
    'A has not the same placeholders in all languages: {{nam}} / {{name}}',
  ],
  ['a key that is not there', {}, `t('A')`, {}, 'A is used and not translated.'],
  [
    "the contract's key that is not there",
    {},
    `.min(1, 'A_FORM.NAME')`,
    {},
    'A_FORM.NAME is used and not translated.',
  ],
  ['a key that nobody uses', { A: 'a' }, '', { A: 'a' }, 'A is translated and not used.'],
])('%s is a mistake', (_, en, code, vi, mistake) => {
  expect(mistakes(en, code, vi)).toEqual([mistake])
})
