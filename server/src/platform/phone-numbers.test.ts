import { limits } from '@sendroom/contract/limits'
import type { CountryCode } from 'libphonenumber-js'
import { expect, test } from 'vitest'
import { hasTooManyEntries, readPhoneNumbers } from './phone-numbers.ts'

const read = (text: string, defaultCountry: CountryCode = 'VN') => readPhoneNumbers({ text, defaultCountry })

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
])('%s can be read', (_case, text, numbers) => {
  expect(read(text, 'VN')).toMatchObject({ numbers, unreadable: { total: 0, first: [] } })
})

//
test('duplicates are counted, however they are written', () => {
  expect(read('0901234567, +84901234567; 0901.234.567, 0902234567', 'VN')).toEqual({
    numbers: ['84901234567', '84902234567'],
    duplicates: 2,
    unreadable: { total: 0, first: [] },
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
])('%s is unreadable, but the numbers beside it are read', (_case, written) => {
  expect(read(`0901234567,${written}`, 'VN')).toEqual({
    numbers: ['84901234567'],
    duplicates: 0,
    unreadable: { total: 1, first: [written] },
  })
})

//
test('a national number belongs to the default country', () => {
  expect(read('020 7946 0958', 'GB')).toMatchObject({ numbers: ['442079460958'] })
})

const NBSP = '\u00a0'
const people = (count: number) =>
  Array.from({ length: count }, (_, n) => `+8490${String(n).padStart(7, '0')}`)

test('spaces of all kinds around an entry, and entries of nothing else, do not count', () => {
  expect(read(`${NBSP}0901234567 ${NBSP}, ${NBSP} ,\ufeff0902234567`)).toMatchObject({
    numbers: ['84901234567', '84902234567'],
    unreadable: { total: 0 },
  })
})

test('only the first unreadable entries are named', () => {
  const { total, first } = read(Array.from({ length: 1000 }, (_, n) => `bad ${n}`).join())?.unreadable ?? {}
  expect(total).toBe(1000)
  expect(first).toHaveLength(limits.previewNames)
})

//
test('more numbers than a job takes are too many, but not if they are duplicates', () => {
  const numbers = people(limits.recipients)
  expect(read(numbers.join())?.numbers).toHaveLength(limits.recipients)
  expect(read([...numbers, ...numbers].join())).toMatchObject({ duplicates: limits.recipients })
  expect(read([...numbers, '+12133734253'].join())).toBeNull()
})

//
test('a text with far more entries than a job takes is refused before any is parsed', () => {
  const twoMillion = '1,'.repeat(2_000_000)
  expect(hasTooManyEntries('1,'.repeat(2 * limits.recipients))).toBe(false)
  expect(hasTooManyEntries(twoMillion)).toBe(true)

  const startedAt = process.cpuUsage()
  expect(read(twoMillion)).toBeNull()
  // Parsing them takes more than ten seconds.
  expect(process.cpuUsage(startedAt).user / 1e6).toBeLessThan(1)
})

test('a text of few entries that are slow to parse is read quickly', () => {
  const slow = `123${' '.repeat(200)}x,`.repeat(19_000)

  const startedAt = process.cpuUsage()
  expect(read(slow)).toMatchObject({ unreadable: { total: 19_000 } })
  // Parsing them takes four seconds.
  expect(process.cpuUsage(startedAt).user / 1e6).toBeLessThan(1)
})
