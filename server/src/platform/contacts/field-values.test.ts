import { expect, test } from 'vitest'
import { spellingOf } from './field-values.ts'

const choices = ['Hà Nội', 'Huế']

//
test.each([
  ['text', ' Hoa ', 'Hoa'],
  ['text', 'two\nlines', 'two\nlines'],
  ['text', 'a {brace} and 👋🏽', 'a {brace} and 👋🏽'],
  ['text', 'ليلى', 'ليلى'],
  ['text', 'Hi {{name}}', null],
  ['text', 'a\u0007b', null],
  ['text', 'a\u202eb', null],
  ['text', 5, null],
  ['text', true, null],
  ['number', 12.5, '12.5'],
  ['number', '12.50', '12.5'],
  ['number', ' -3 ', '-3'],
  ['number', -0, '0'],
  ['number', '0.000001', '0.000001'],
  ['number', '123456789.123456', '123456789.123456'],
  ['number', '1234567890.123456', null],
  ['number', '12345678901234567890', null],
  ['number', 2 ** 60, null],
  ['number', 1e-7, null],
  ['number', '12,5', null],
  ['number', '0x10', null],
  ['number', 'many', null],
  ['number', true, null],
  ['date', '2028-02-29', '2028-02-29'],
  ['date', '2026-02-29', null],
  ['date', '31.01.2026', null],
  ['date', '2026-1-1', null],
  ['date', 20260131, null],
  ['yesNo', true, 'true'],
  ['yesNo', 'false', 'false'],
  ['yesNo', 'yes', null],
  ['yesNo', 1, null],
  ['choice', 'Huế', 'Huế'],
  ['choice', 'Hue\u0302\u0301', 'Huế'],
  ['choice', 'huế', null],
] as const)('a field of the type %s stores %j as %j', (type, value, expected) => {
  expect(spellingOf({ type, choices }, value)).toBe(expected)
})
