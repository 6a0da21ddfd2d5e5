import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { limits } from '@sendroom/contract/limits'
import { separators } from '@sendroom/contract/table-files'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeGb18030, encodeUtf16, encodeWindows1258 } from '../../../test/encode.ts'
import { sourceOf } from '../../../test/table-source.ts'
import { toCsv } from '../export/tables.ts'
import { type CsvFormat, detectSeparator, readCsv } from './csv.ts'
import { detectEncoding, readText } from './encoding.ts'
import type { Row } from './row.ts'
import type { TableSource } from './source.ts'

const toArray = <T>(items: AsyncIterable<T>): Promise<T[]> => Readable.from(items).toArray()

let folder: string
let path: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'table-file-'))
  path = join(folder, 'file.csv')
})
afterAll(() => rm(folder, { recursive: true }))

async function detectFormat(bytes: string | Uint8Array): Promise<CsvFormat> {
  await writeFile(path, bytes)
  const { encoding } = await detectEncoding(sourceOf(path))
  return { encoding, separator: await detectSeparator(sourceOf(path), encoding) }
}

/** Reads a file as it is detected, or as the format says. */
async function read(bytes: string | Uint8Array, format?: Partial<CsvFormat>): Promise<Row[]> {
  return toArray(readCsv(sourceOf(path), { ...(await detectFormat(bytes)), ...format }))
}
const cellsOf = async (bytes: string | Uint8Array) => (await read(bytes)).map(({ cells }) => cells)

const VIETNAMESE =
  'Họ và tên;Số điện thoại\r\nNguyễn Thị Huệ;0901234567\r\nTRẦN VĂN ĐỨC;0902234567\r\nLê Thuý Ỷ;0903234567\r\n'
const CHINESE = '姓名,电话号码,备注\r\n王小明,13812345678,重要客户\r\n李娜,13912345678,\r\n'
const FRENCH = 'Prénom;Numéro\r\nHélène;0901234567\r\nJoão Müller;0902234567\r\n'

describe('encodings', () => {
  test.each([
    ['UTF-8', Buffer.from(VIETNAMESE), VIETNAMESE, 'utf-8', false],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${VIETNAMESE}`), VIETNAMESE, 'utf-8', false],
    ['ASCII', Buffer.from('a;b\n1;2\n'), 'a;b\n1;2\n', 'utf-8', false],
    ['UTF-16 LE', encodeUtf16(VIETNAMESE), VIETNAMESE, 'utf-16le', false],
    ['UTF-16 BE', encodeUtf16(VIETNAMESE, { bigEndian: true }), VIETNAMESE, 'utf-16be', false],
    ['UTF-16 LE without a mark', encodeUtf16(CHINESE, { mark: false }), CHINESE, 'utf-16le', false],
    [
      'UTF-16 BE without a mark',
      encodeUtf16(VIETNAMESE, { bigEndian: true, mark: false }),
      VIETNAMESE,
      'utf-16be',
      false,
    ],
    ['windows-1258', encodeWindows1258(VIETNAMESE), VIETNAMESE, 'windows-1258', true],
    [
      'windows-1258 in capitals',
      encodeWindows1258(VIETNAMESE.toUpperCase()),
      VIETNAMESE.toUpperCase(),
      'windows-1258',
      true,
    ],
    ['two Vietnamese words', encodeWindows1258('Trần Hiếu;1\n'), 'Trần Hiếu;1\n', 'windows-1258', true],
    ['gb18030', encodeGb18030(CHINESE), CHINESE, 'gb18030', true],
    ['windows-1252', Buffer.from(FRENCH, 'latin1'), FRENCH, 'windows-1252', true],
  ])('%s is recognised and read', async (_case, bytes, text, encoding, isGuess) => {
    await writeFile(path, bytes)
    expect(await detectEncoding(sourceOf(path))).toEqual({ encoding, isGuess })
    const parts = await toArray(readText(sourceOf(path), encoding as CsvFormat['encoding']))
    expect(parts.join('').normalize('NFC')).toBe(text)
  })

  test('an accent on the last of many pages counts', async () => {
    const bytes = Buffer.concat([
      Buffer.from('Lan;0901234567\n'.repeat(50_000)),
      encodeWindows1258('Huệ;1\n'),
    ])
    expect(await read(bytes, { encoding: 'windows-1258' })).toHaveLength(50_001)
    await writeFile(path, bytes)
    expect((await detectEncoding(sourceOf(path))).encoding).not.toBe('utf-8')
  })

  test('cells are composed, so that a name from windows-1258 is found', async () => {
    const [row] = await read(encodeWindows1258('Nguyễn Huệ;1\r\n'), {
      encoding: 'windows-1258',
      separator: ';',
    })
    expect(row?.cells).toEqual(['Nguyễn Huệ'.normalize('NFC'), '1'])
  })

  test('the encoding can be chosen instead', async () => {
    const [row] = await read(encodeGb18030('王,1\n'), { encoding: 'gb18030' })
    expect(row?.cells).toEqual(['王', '1'])
  })
})

describe('separators', () => {
  test.each(separators)('%j is recognised', async (separator) => {
    const lines = [
      ['name', 'phone'],
      ['Lan', '0901234567'],
      ['Huệ', '0902234567'],
    ]
    expect((await detectFormat(lines.map((cells) => cells.join(separator)).join('\n'))).separator).toBe(
      separator,
    )
  })

  test('commas in a semicolon file, and a heading with a cell less, do not mislead', async () => {
    const rows = [
      'name;phone',
      'Lan;0901234567;Hà Nội, Hoàn Kiếm',
      'Huệ;0902234567;Huế, Việt Nam',
      'An;0903;a, b',
    ]
    expect((await cellsOf(rows.join('\r\n')))[1]).toEqual(['Lan', '0901234567', 'Hà Nội, Hoàn Kiếm'])
  })

  test.each([
    ['a comma in each name', 'Nguyễn, Lan;0901234567\nTrần, An;0902234567\n', ['Nguyễn, Lan', '0901234567']],
    [
      'more commas than semicolons',
      'Lan;+84901234567;2 Lê Lợi, Q1, HCM\n',
      ['Lan', '+84901234567', '2 Lê Lợi, Q1, HCM'],
    ],
  ])('the separator is the one that leaves a phone number: %s', async (_case, text, cells) => {
    expect((await cellsOf(text))[0]).toEqual(cells)
  })

  test('a line sep= decides, and is no row', async () => {
    expect(await read('\ufeffsep=|\r\nname|phone, mobile\r\nLan|0901234567\r\n')).toEqual([
      { number: 1, cells: ['name', 'phone, mobile'] },
      { number: 2, cells: ['Lan', '0901234567'] },
    ])
    expect(await cellsOf(encodeUtf16('sep=;\na;b,c\n'))).toEqual([['a', 'b,c']])
    expect(await cellsOf('"sep=\t"\na\tb\n')).toEqual([['a', 'b']])
  })

  test('a list of numbers has no separator', async () => {
    expect(await cellsOf('0901234567\n0902234567\n')).toEqual([['0901234567'], ['0902234567']])
  })

  test('a long quoted cell at the end of the sample does not hide the separator', async () => {
    expect((await detectFormat(`a;b\n1;"${'x,\n'.repeat(40_000)}"\n`)).separator).toBe(';')
  })
})

describe('rows', () => {
  test('quoted line breaks, separators and quotation marks belong to the cell', async () => {
    expect(await read('a,b\r\n"line 1\r\nline 2","say ""hi"", Lan"\r\n\r\nc,d\r\n')).toEqual([
      { number: 1, cells: ['a', 'b'] },
      { number: 2, cells: ['line 1\nline 2', 'say "hi", Lan'] },
      { number: 4, cells: ['c', 'd'] },
    ])
  })

  test('mixed line ends and a quotation mark inside a word are read', async () => {
    expect(await cellsOf('a,b\r\nc,5" pipe\nd,e\rf,g')).toEqual([
      ['a', 'b'],
      ['c', '5" pipe'],
      ['d', 'e'],
      ['f', 'g'],
    ])
  })

  test('an empty column stays, empty cells at the end and empty rows do not', async () => {
    expect(await read('name,,phone,,\nLan,,0901,,\n,,,,\n ,,,,\nHuệ,,0902,,\n')).toEqual([
      { number: 1, cells: ['name', '', 'phone'] },
      { number: 2, cells: ['Lan', '', '0901'] },
      { number: 5, cells: ['Huệ', '', '0902'] },
    ])
  })

  test.each([
    ['nothing', ''],
    ['a byte order mark', '\ufeff'],
    ['empty rows', '\r\n ;;\r\n'],
  ])('a file with %s has no rows', async (_case, text) => {
    expect(await read(text)).toEqual([])
  })

  test('characters that the database refuses are removed', async () => {
    expect((await cellsOf(`a\u0000b;\u0001c\u007f\n${'Lan;1\n'.repeat(9)}`))[0]).toEqual(['ab', 'c'])
  })

  test('100 columns are read, 101 are refused with the row', async () => {
    const columns = (count: number) => Array.from({ length: count }, (_, n) => n + 1).join()
    expect((await cellsOf(`${columns(100)}\n`))[0]).toHaveLength(limits.importColumns)
    await expect(read(`${columns(2)}\n${columns(101)}\n`)).rejects.toMatchObject({
      fault: 'too_many_columns',
      row: 2,
    })
  })

  test.each(['', '""'])(
    'a row of endless cells such as %j is refused before it takes memory',
    async (cell) => {
      const before = process.memoryUsage().rss
      await expect(read(`a,b\n${`${cell},`.repeat(3_000_000)}`)).rejects.toMatchObject({
        fault: 'too_many_columns',
        row: 2,
      })
      expect(process.memoryUsage().rss - before).toBeLessThan(60 << 20)
    },
  )

  test('empty cells up to the last column that Excel knows do no harm', async () => {
    expect(await cellsOf(`name,phone${','.repeat(16_382)}\nLan,0901\n`)).toEqual([
      ['name', 'phone'],
      ['Lan', '0901'],
    ])
  })

  test('a cell of 20,000 characters is refused with its place, and the rows around it are read', async () => {
    const rows = await read(`name,note\nLan,${'x'.repeat(20_000)}\nHuệ,${'x'.repeat(10_000)}\n`)
    expect(rows.map(({ number, fault }) => ({ number, fault }))).toEqual([
      { number: 1, fault: undefined },
      { number: 2, fault: { kind: 'cell_too_long', column: 1 } },
      { number: 3, fault: undefined },
    ])
    expect(rows[1]?.cells[1]).toHaveLength(limits.importCell)
  })

  test('a cell that is shortened in the middle of an emoji can be stored', async () => {
    const [, row] = await read(`name,note\nLan,${'x'.repeat(limits.importCell - 1)}😀\n`)
    expect(row?.cells[1]?.isWellFormed()).toBe(true)
  })
})

describe('files cut off in the middle', () => {
  test('in a quoted cell', async () => {
    await expect(read('a,b\n1,2\n3,"4\n5,6\n')).rejects.toMatchObject({ fault: 'unclosed_quote', row: 3 })
  })

  test('in a quoted cell long before the end', async () => {
    const rest = 'Lan,0901234567\n'.repeat(400_000)
    await expect(read(`a,b\n"1,2\n${rest}`)).rejects.toMatchObject({ fault: 'too_large', row: 2 })
  })

  test.each([
    ['between two cells', 'name,phone,note\nLan,0901234567,x\nHuệ,09012345'],
    ['in a character', Buffer.from('name,note\nLan,x\nHuệ,Huế').subarray(0, -1)],
    ['in a character of UTF-16', encodeUtf16('name,note\nLan,x\nHuệ,Hue').subarray(0, -1)],
  ])('%s: the last row is marked', async (_case, bytes) => {
    const rows = await read(bytes)
    expect(rows.map(({ fault }) => fault?.kind)).toEqual([undefined, undefined, 'cut_off'])
  })

  test('a last row without a line break is whole if it has all its cells', async () => {
    const rows = await read('name,phone\nLan,0901234567')
    expect(rows.map(({ fault }) => fault)).toEqual([undefined, undefined])
  })
})

test('a file that cannot be read fails, and reading may end early', async () => {
  const lost: TableSource = {
    size: 1,
    // biome-ignore lint/correctness/useYield: fails before it has anything
    async *read() {
      throw new Error('lost')
    },
  }
  await expect(toArray(readCsv(lost, { encoding: 'utf-8', separator: ',' }))).rejects.toThrow('lost')
  await writeFile(path, 'Lan,0901234567\n'.repeat(100_000))
  for await (const row of readCsv(sourceOf(path), { encoding: 'utf-8', separator: ',' }))
    if (row.number === 2) break
})

const cell = fc
  .string({
    unit: fc.constantFrom('a', 'ệ', '王', '👩', '"', "'", ',', ';', '\t', '|', '\n', '=', '+', ' ', '1'),
  })
  .map((text) => text.replace(/^['\s]+/, '').trim())
/**
 * No cell begins with an apostrophe, which our exports write before signs of formulas. The first cell is not empty and
 * is no line sep=.
 */
const table = fc.array(
  fc.tuple(
    cell.map((text) => `x${text}`),
    cell,
    cell.map((text) => `${text}y`),
  ),
  { minLength: 1, maxLength: 20 },
)

test('cells that are written in quotation marks are read as they were', async () => {
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom(...separators),
      fc.constantFrom('\n', '\r\n'),
      async (rows, separator, end) => {
        const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
        const text = rows.map((cells) => cells.map(quote).join(separator) + end).join('')
        const found = await read(text, { separator })
        expect(found.map(({ cells }) => cells)).toEqual(rows)
      },
    ),
    { numRuns: 200 },
  )
})

test('our own export is read as it was', async () => {
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const columns = [0, 1, 2].map((n) => ({ title: `c${n}`, cell: (row: string[]) => row[n] ?? '' }))
      const pages = (async function* () {
        yield rows
      })()
      const text = (await toArray(toCsv(columns, pages))).join('')
      expect((await read(text, { separator: ',' })).slice(1).map(({ cells }) => cells)).toEqual(rows)
    }),
    { numRuns: 100 },
  )
})
