import { errorWords } from '@sendroom/contract/errors'
import { fieldWords } from '@sendroom/contract/field-words'
import { reasonWords } from '@sendroom/contract/reasons'
import { expect, test } from 'vitest'
import { textsOf } from '../../test/server.ts'

const en: Record<string, Record<string, string>> = textsOf('en')

test('the English error texts equal those of the contract', () => {
  expect(en.ERROR).toEqual(errorWords)
})

test('the English reason texts equal those of the contract', () => {
  expect(en.REASON).toEqual(reasonWords)
})

test.each(Object.entries(fieldWords))('%s equals the server’s text', (key, words) => {
  const [group = '', name = ''] = key.split('.')
  expect(en[group]?.[name]).toBe(words)
})
