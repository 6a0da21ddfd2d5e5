import { errorWords } from '@sendroom/contract/errors'
import { fieldWords } from '@sendroom/contract/field-words'
import { findingWords, remedyWords } from '@sendroom/contract/findings'
import { reasonWords } from '@sendroom/contract/reasons'
import { expect, test } from 'vitest'
import { textsOf } from '../../test/server.ts'

const en: Record<string, Record<string, string>> = textsOf('en')

test('the English error texts equal those of the contract', () => {
  expect(en.ERROR).toEqual(errorWords)
})

test('the English findings and remedies equal those of the command line', () => {
  expect(en.FINDING).toEqual(findingWords)
  expect(en.REMEDY).toEqual(remedyWords)
})

test('the English reason texts equal those of the contract', () => {
  expect(en.REASON).toEqual(reasonWords)
})

test.each(Object.entries(fieldWords))('%s equals the server’s text', (key, words) => {
  const [group = '', name = ''] = key.split('.')
  expect(en[group]?.[name]).toBe(words)
})
