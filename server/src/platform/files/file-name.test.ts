import { expect, test } from 'vitest'
import { cleanFileName } from './file-name.ts'

// R-1757
test.each([
  ['Báo cáo quý 3.pdf', 'Báo cáo quý 3.pdf'],
  ['../../etc/passwd', 'passwd.txt'],
  ['C:\\Users\\lan\\Price.xlsx', 'Price.xlsx'],
  ['..', 'file.txt'],
  ['', 'file.txt'],
  ['   .  ', 'file.txt'],
  ['.htaccess', 'htaccess.txt'],
  ['two\nlines\u0000\u001b[31m.pdf', 'two_lines__[31m.pdf'],
  ['invoice\u202efdp.exe', 'invoice_fdp.exe'],
  ['a\u200bb\u00ad\ufeff\u2028c.pdf', 'a_b___c.pdf'],
  ['👨\u200d👩\u200d👧.pdf', '👨\u200d👩\u200d👧.pdf'],
  ['a<b>"c"|d?.pdf', 'a_b__c__d_.pdf'],
  ['{{name}} {{{{x}}.pdf', '{name}} {x}}.pdf'],
  ['half \ud83d.pdf', 'half \ufffd.pdf'],
  ['价目表', '价目表.txt'],
  ['archive.tar.gz', 'archive.tar.gz'],
])('the name %j becomes %j', (name, expected) => {
  expect(cleanFileName(name, 'txt')).toBe(expected)
})

// R-1757
test('a long name keeps its ending and no half of a character', () => {
  const cleaned = cleanFileName(`${'ế'.repeat(300)}.pdf`, 'pdf')

  expect(cleaned).toBe(`${'ế'.repeat(83)}.pdf`)
  expect(Buffer.byteLength(cleaned)).toBeLessThanOrEqual(255)
})

// R-1757
test('a name of 80,000 dots between two letters becomes a short one', () => {
  const cleaned = cleanFileName(`a${'.'.repeat(80_000)}b`, 'txt')

  expect(cleaned).toMatch(/^a\.+b$/)
  expect(Buffer.byteLength(cleaned)).toBeLessThanOrEqual(255)
})

// R-1757
test('a name of 80,000 characters keeps its ending', () => {
  expect(cleanFileName(`${'😀'.repeat(40_000)}.pdf`, 'txt')).toBe(`${'😀'.repeat(62)}.pdf`)
})
