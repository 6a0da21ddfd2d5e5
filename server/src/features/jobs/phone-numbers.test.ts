import { expect, test } from 'vitest'
import { readPhoneNumbers } from './phone-numbers.ts'

test.each([
  //
  ['a national number of the default country', '0901 234 567', ['84901234567']],
  //
  ['the same with its country code', '+84 90 123 45 67', ['84901234567']],
  ['the same, dialled from abroad', '0084901234567', ['84901234567']],
  ['the code without a plus', '84901234567', ['84901234567']],
  ['another country’s', '+1 (213) 373-4253', ['12133734253']],
  [
    //
    'all separators',
    '0901234567,0902234567;0903234567\t0904234567\r\n0905234567',
    ['84901234567', '84902234567', '84903234567', '84904234567', '84905234567'],
  ],
  //
  ['one number in three spellings', '0901234567, +84901234567; 0901.234.567', ['84901234567']],
  ['empty places', ',; \n\t 0901234567 ,,\n', ['84901234567']],
  ['nothing', ' \n ', []],
])('%s can be read', async (_case, text, numbers) => {
  expect(await readPhoneNumbers(text, 'VN')).toMatchObject({ numbers, unreadable: [] })
})

//
test('duplicates are counted, however they are written', async () => {
  expect(await readPhoneNumbers('0901234567, +84901234567; 0901.234.567, 0902234567', 'VN')).toEqual({
    numbers: ['84901234567', '84902234567'],
    duplicates: 2,
    unreadable: [],
  })
})

test.each([
  ['a word', 'hello'],
  ['a number in a sentence', 'call 0901234567'],
  ['two numbers with only a space between', '0901234567 0902234567'],
  ['too few digits', '+84 12'],
  ['too many digits', '+849012345678901'],
  ['a country code that does not exist', '+999123456789'],
  ['an extension', '+1 213 373 4253 ext. 12'],
  ['markup', '<b>0901234567</b>'],
  //
])('%s is unreadable, but the numbers beside it are read', async (_case, written) => {
  expect(await readPhoneNumbers(`0901234567,${written}`, 'VN')).toEqual({
    numbers: ['84901234567'],
    duplicates: 0,
    unreadable: [written],
  })
})

//
test('a national number belongs to the default country', async () => {
  expect(await readPhoneNumbers('020 7946 0958', 'GB')).toMatchObject({ numbers: ['442079460958'] })
})
