import type { CountryCode } from 'libphonenumber-js'
import { expect, test } from 'vitest'
import { readPhoneCell } from './phone-cell.ts'

const read = (cell: string, country: CountryCode = 'VN') => readPhoneCell(cell, country)

test.each([
  '0901234567',
  '+84901234567',
  '84901234567',
  '0084901234567',
  '090.123.4567',
  '0901 234 567',
  '090-123-4567',
  '(+84) 90 123 4567',
  '\u00a00901234567\u200b',
  '+840901234567',
  '84901234567.0',
  '０９０１２３４５６７',
  "'0901234567",
  '="0901234567"',
  '\u202a+84 90 123 4567\u202c',
  '84901234567.00',
])('%s is one Vietnamese number', (cell) => {
  expect(read(cell)).toEqual({ number: '84901234567' })
})

test.each([
  ['8.49E+10', 'destroyed'],
  ['8,49012E+11', 'destroyed'],
  ['8.49e10', 'destroyed'],
  ['1E+11', 'destroyed'],
  ['849012345678900000', 'destroyed'],
  ['', 'missing'],
  ['  ', 'missing'],
  ['hello', 'unreadable'],
  ['0901234567 / 0902234567', 'unreadable'],
  ['0901', 'unreadable'],
  ['9'.repeat(70), 'unreadable'],
])('%s is refused as %s', (cell, fault) => {
  expect(read(cell)).toEqual({ fault })
})

test('a national number without its zero is refused, with the number that it may have been', () => {
  expect(read('901234567')).toEqual({ fault: 'lost_zero', likely: '84901234567' })
  expect(read('841234567')).toEqual({ fault: 'lost_zero', likely: '84841234567' })
  expect(read('20 7946 0958', 'GB')).toEqual({ fault: 'lost_zero', likely: '442079460958' })
})

test.each([
  ['13812345678', 'CN', '8613812345678'],
  ['(213) 373-4253', 'US', '12133734253'],
  ['91234567', 'SG', '6591234567'],
  ['+49 1512 3456789', 'VN', '4915123456789'],
  ['+84901234567', 'CN', '84901234567'],
])('%s in %s needs no zero', (cell, country, number) => {
  expect(read(cell, country as CountryCode)).toEqual({ number })
})

test.each([
  ['01651234567', '84351234567'],
  ['+841201234567', '84701234567'],
  ['84 199 123 4567', '84591234567'],
  ['1861234567', '84561234567'],
])('%s was renumbered in 2018', (cell, likely) => {
  expect(read(cell)).toEqual({ fault: 'renumbered', likely })
})

test('numbers of other countries that look like old Vietnamese ones are kept', () => {
  expect(read('+44 165 123 4567')).toEqual({ number: '441651234567' })
})
