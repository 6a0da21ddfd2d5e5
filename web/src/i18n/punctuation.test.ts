import { beforeEach, expect, test } from 'vitest'
import { serve } from '../../test/server.ts'
import { showLanguage } from './i18n.ts'
import { bracketed, enumerated, labelled } from './punctuation.ts'

beforeEach(() => serve({}))

// R-2205
test.each([
  ['en', 'Job, Message', 'All (9)', 'From: 9:30'],
  ['vi', 'Job, Message', 'All (9)', 'From: 9:30'],
  ['cn', 'Job、Message', 'All（9）', 'From：9:30'],
] as const)('rows, brackets and colons are those of %s', async (language, row, brackets, colon) => {
  await showLanguage(language)
  expect(enumerated(['Job', 'Message'])).toBe(row)
  expect(bracketed('All', '9')).toBe(brackets)
  expect(labelled('From', '9:30')).toBe(colon)
})
