import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { limits } from '@sendroom/contract/limits'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeGb18030, encodeWindows1258 } from '../../../test/encode.ts'
import { sourceOf } from '../../../test/table-source.ts'
import { xlsxParts, zipOf } from '../../../test/zip.ts'
import { previewTable, readTable, type TableChoices } from './table-file.ts'

let folder: string
let path: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'table-file-'))
  path = join(folder, 'file')
})
afterAll(() => rm(folder, { recursive: true }))

const known = { fields: [{ key: 'city', label: 'Thành phố' }], defaultCountry: 'VN' } as const

async function preview(bytes: string | Uint8Array, choices: TableChoices = {}) {
  await writeFile(path, bytes)
  return previewTable(sourceOf(path), choices, known)
}
/** Reads all rows as they were recognised. */
async function read(bytes: string | Uint8Array) {
  const { format } = await preview(bytes)
  return Readable.from(readTable(sourceOf(path), format)).toArray()
}

describe('what is recognised', () => {
  test('a semicolon file in windows-1258', async () => {
    const text = 'Họ và tên;Số ĐT (*);Ghi chú;Thành phố;Nhãn;Khác\r\nNguyễn Huệ;0901234567;a, b;Huế;vip;x\r\n'
    expect(await preview(encodeWindows1258(text))).toEqual({
      format: { kind: 'csv', encoding: 'windows-1258', separator: ';' },
      isGuess: true,
      sheets: [],
      hasHeader: true,
      header: ['Họ và tên', 'Số ĐT (*)', 'Ghi chú', 'Thành phố', 'Nhãn', 'Khác'],
      columns: ['name', 'phone', 'note', { field: 'city' }, 'tags', null],
      rows: [{ number: 2, cells: ['Nguyễn Huệ', '0901234567', 'a, b', 'Huế', 'vip', 'x'] }],
    })
  })

  test('a Chinese file in gb18030', async () => {
    const { format, columns } = await preview(
      encodeGb18030('姓名,手机号,备注,标签\n王小明,13812345678,客户,重要\n'),
    )
    expect(format).toMatchObject({ encoding: 'gb18030', separator: ',' })
    expect(columns).toEqual(['name', 'phone', 'note', 'tags'])
  })

  test('an xlsx, with its sheets', async () => {
    const row =
      '<row><c t="inlineStr"><is><t>Phone Number</t></is></c><c t="inlineStr"><is><t>Full name</t></is></c></row>'
    const file = zipOf(xlsxParts({ Customers: row, Other: '' }))
    expect(await preview(file)).toMatchObject({
      format: { kind: 'xlsx', sheet: 'Customers' },
      isGuess: false,
      sheets: ['Customers', 'Other'],
      columns: ['phone', 'name'],
    })
    await expect(preview(file, { sheet: 'Other' })).rejects.toMatchObject({ fault: 'empty' })
  })

  test('columns without a header, by their cells', async () => {
    const found = await preview('1;Nguyễn Thị Huệ;0901234567\n2;Lê Lan;901234568\n3;An;8.49E+10\n')
    expect(found).toMatchObject({ hasHeader: false, header: null, columns: [null, 'name', 'phone'] })
    expect(found.rows).toHaveLength(3)
  })

  test('a header with other words, by the cells below', async () => {
    const found = await preview('Kunde;Nummer\nLan;0901234567\nHuệ;0902234567\n')
    expect(found).toMatchObject({ hasHeader: true, columns: [null, 'phone'] })
  })

  test('of two columns with a number the one that is filled, once', async () => {
    const found = await preview('name,phone,mobile\nLan,,0901234567\nHuệ,0281234567,0902234567\n')
    expect(found.columns).toEqual(['name', null, 'phone'])
  })

  test('a mark glued to the first header does not hide it', async () => {
    expect((await preview('\ufeffPhone,Name\n0901234567,Lan\n')).columns).toEqual(['phone', 'name'])
  })

  test('everything can be chosen instead', async () => {
    const found = await preview('Name;Phone\nLan|0901234567;x\n', {
      encoding: 'windows-1252',
      separator: '|',
      hasHeader: false,
    })
    expect(found).toMatchObject({
      format: { kind: 'csv', encoding: 'windows-1252', separator: '|' },
      isGuess: false,
      hasHeader: false,
      rows: [{ cells: ['Name;Phone'] }, { cells: ['Lan', '0901234567;x'] }],
    })
  })
})

describe('what is refused', () => {
  test.each([
    ['an empty file', '', 'empty'],
    ['a file of empty rows', '\ufeff\r\n;;\r\n', 'empty'],
    ['an .xls or a file with a password', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'unsupported'],
    ['a PDF', '%PDF-1.7 hello', 'unsupported'],
    ['an xlsx cut off', zipOf(xlsxParts({ A: '' })).subarray(0, 300), 'damaged'],
  ])('%s', async (_case, bytes, fault) => {
    await expect(preview(bytes)).rejects.toMatchObject({ fault })
  })

  test('more rows than allowed, a header aside', async () => {
    const lines = (count: number) => `phone\n${'0901234567\n'.repeat(count)}`
    expect(await read(lines(limits.importRows))).toHaveLength(limits.importRows + 1)
    await expect(read(lines(limits.importRows + 1))).rejects.toMatchObject({
      fault: 'too_many_rows',
      row: limits.importRows + 2,
    })
  })
})

test('an xlsx that repeats one long text in each cell is refused', async () => {
  const sharedStrings = `<si><t>${'x'.repeat(9000)}</t></si>`
  const cells = '<c t="s"><v>0</v></c>'.repeat(100)
  await expect(
    read(zipOf(xlsxParts({ Sheet1: `<row>${cells}</row>`.repeat(80) }, { sharedStrings }))),
  ).rejects.toMatchObject({ fault: 'too_large' })
})

describe('memory', () => {
  const ROWS = 100_000
  const numbers = Array.from({ length: ROWS }, (_, n) => n)
  const name = 'Nguyễn Thị Huệ'
  const note = `khách hàng ở Huế, ${'ghi chú '.repeat(5)}`
  const phoneOf = (n: number) => `90${String(n).padStart(7, '0')}`

  function csv() {
    const [encodedName, encodedNote] = [name, note].map((text) => encodeWindows1258(text).toString('latin1'))
    const lines = numbers.map((n) => `${encodedName}${n};0${phoneOf(n)};${encodedNote}${n}\n`)
    return Buffer.from(`name;phone;note\n${lines.join('')}`, 'latin1')
  }
  function xlsx() {
    const sharedStrings = numbers
      .map((n) => `<si><t>${name} ${n}</t></si><si><t>${note} ${n}</t></si>`)
      .join('')
    const cells = (n: number) =>
      `<c t="s"><v>${2 * n}</v></c><c><v>84${phoneOf(n)}</v></c><c t="s"><v>${2 * n + 1}</v></c>`
    const rows = numbers.map((n) => `<row>${cells(n)}</row>`).join('')
    return zipOf(xlsxParts({ Sheet1: rows }, { sharedStrings }))
  }

  test.each([
    ['CSV', csv, ROWS + 1, 0, 10],
    // The shared texts are kept. That they are seen shows that the memory is really measured.
    ['xlsx', xlsx, ROWS, 10, 50],
  ])('100,000 rows of %s take little', async (_case, make, rows, least, most) => {
    await writeFile(path, make())
    const worker = new Worker(new URL('../../../test/table-memory.ts', import.meta.url), { workerData: path })
    const [measured] = await once(worker, 'message')
    expect(measured.rows).toBe(rows)
    expect(measured.megabytes).toBeGreaterThanOrEqual(least)
    expect(measured.megabytes).toBeLessThan(most)
  })
})
