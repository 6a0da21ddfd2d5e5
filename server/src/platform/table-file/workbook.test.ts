import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sourceOf } from '../../../test/table-source.ts'
import { deflateWithSpaces, xlsxParts, zipOf } from '../../../test/zip.ts'
import { toXlsx } from '../export/tables.ts'
import type { Row } from './row.ts'
import { openWorkbook } from './workbook.ts'

let folder: string
let path: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'table-file-'))
  path = join(folder, 'file.xlsx')
})
afterAll(() => rm(folder, { recursive: true }))

async function read(bytes: Uint8Array, sheet?: string): Promise<Row[]> {
  await writeFile(path, bytes)
  const workbook = await openWorkbook(sourceOf(path))
  try {
    return await Readable.from(workbook.rows(sheet ?? workbook.firstVisible)).toArray()
  } finally {
    workbook.close()
  }
}
/** Reads rows with the parts of one sheet. */
const readSheet = (rows: string, parts: Parameters<typeof xlsxParts>[1] = {}) =>
  read(zipOf(xlsxParts({ Sheet1: rows }, parts)))
const cellsOf = async (...args: Parameters<typeof readSheet>) =>
  (await readSheet(...args)).map(({ cells }) => cells)

const STYLES = `<numFmts><numFmt numFmtId="164" formatCode="0000000000"/><numFmt numFmtId="165" formatCode="dd/mm/yyyy\\ hh:mm"/>
  <numFmt numFmtId="166" formatCode="&quot;day&quot; 0"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
  <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="11"/><xf numFmtId="166"/><xf numFmtId="20"/></cellXfs>`
const cell = (value: string, style = 0) => `<row><c s="${style}"><v>${value}</v></c></row>`

describe('cells', () => {
  test('shared, inline and computed texts, yes/no and errors are read', async () => {
    const sharedStrings =
      '<si><t>Nguyễn Thị Huệ</t></si><si><r><t>Lê </t></r><r><rPr><b/></rPr><t xml:space="preserve">Thuý</t></r><rPh><t>x</t></rPh></si><si><t>a_x000A_b &amp; c</t></si>'
    const rows = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row>
      <row r="2"><c r="A2" t="inlineStr"><is><t>Lan</t></is></c><c r="B2" t="str"><f>"x"</f><v>An</v></c></row>
      <row r="3"><c r="A3" t="b"><v>1</v></c><c r="B3" t="b"/><c r="C3" t="e"><v>#N/A</v></c><c r="D3" t="s"/></row>`
    expect(await readSheet(rows, { sharedStrings })).toEqual([
      { number: 1, cells: ['Nguyễn Thị Huệ', 'Lê Thuý', 'a\nb & c'] },
      { number: 2, cells: ['Lan', 'An'] },
      { number: 3, cells: ['TRUE', '', '#N/A'] },
    ])
  })

  test('rows and cells keep their places, and empty rows do not count', async () => {
    const rows =
      '<row r="2"/><row r="5"><c r="B5"><v>1</v></c><c r="AA5"><v>2</v></c><c r="AB5" s="1"/></row>'
    const [row, ...others] = await readSheet(rows, { styles: STYLES })
    expect(row).toEqual({ number: 5, cells: ['', '1', ...Array(24).fill(''), '2'] })
    expect(others).toEqual([])
  })

  test.each([
    ['84901234567', 0, '84901234567'],
    ['8.4901234567E10', 0, '84901234567'],
    ['0.30000000000000004', 0, '0.3'],
    ['901234567', 2, '0901234567'],
    ['45678', 1, '2025-01-21'],
    ['45678.354166666664', 3, '2025-01-21 08:30:00'],
    ['0.5', 6, '12:00:00'],
    ['1', 1, '1900-01-01'],
    ['59', 1, '1900-02-28'],
    ['61', 1, '1900-03-01'],
    ['1e300', 1, '1e300'],
    ['5', 5, '5'],
    ['hello', 0, 'hello'],
  ])('the number %s in style %i is read as %s', async (stored, style, text) => {
    expect(await cellsOf(cell(stored, style), { styles: STYLES })).toEqual([[text]])
  })

  test.each([
    ['84900000000', 4, '8.49E+10'],
    ['849012345678901234', 0, '8.49012345678901E+17'],
  ])('the number %s that Excel has rounded in style %i is shown as rounded', async (stored, style, text) => {
    expect(await cellsOf(cell(stored, style), { styles: STYLES })).toEqual([[text]])
  })

  test('a number in scientific style with all its digits is intact', async () => {
    expect(await cellsOf(cell('84901234567', 4), { styles: STYLES })).toEqual([['84901234567']])
  })

  test('dates of a workbook from a Mac count from 1904', async () => {
    expect(await cellsOf(cell('0', 1), { styles: STYLES, workbookPr: '<workbookPr date1904="1"/>' })).toEqual(
      [['00:00:00']],
    )
    expect(await cellsOf(cell('1', 1), { styles: STYLES, workbookPr: '<workbookPr date1904="1"/>' })).toEqual(
      [['1904-01-02']],
    )
  })

  test('rows with numbers that can’t be, or that come again, follow the row before', async () => {
    const rows = ['x', '4', '4', '99999999999', '-1'].map((r) => `<row r="${r}"><c><v>1</v></c></row>`)
    expect((await readSheet(rows.join(''))).map(({ number }) => number)).toEqual([1, 4, 5, 6, 7])
  })

  test('a cell of 20,000 characters is refused with its place', async () => {
    const long = 'x'.repeat(20_000)
    const [row] = await readSheet(`<row r="7"><c r="B7" t="inlineStr"><is><t>${long}</t></is></c></row>`)
    expect(row).toMatchObject({ number: 7, fault: { kind: 'cell_too_long', column: 1 } })
    expect(row?.cells[1]).toHaveLength(10_000)
  })

  test('a cell in the 101st column is refused with its row', async () => {
    const rows = '<row r="3"><c r="CW3"><v>1</v></c></row>'
    await expect(readSheet(rows)).rejects.toMatchObject({ fault: 'too_many_columns', row: 3 })
  })
})

describe('sheets', () => {
  test('the first visible one is read, or the chosen one', async () => {
    const file = zipOf(
      xlsxParts({ Old: cell('1'), 'A &amp; B': cell('2'), Third: cell('3') }, { hidden: 'Old' }),
    )
    expect(await read(file)).toEqual([{ number: 1, cells: ['2'] }])
    expect(await read(file, 'Third')).toEqual([{ number: 1, cells: ['3'] }])
    await expect(read(file, 'Fourth')).rejects.toMatchObject({ fault: 'no_such_sheet' })
    const workbook = await openWorkbook(sourceOf(path))
    workbook.close()
    expect(workbook.sheets).toEqual(['Old', 'A & B', 'Third'])
  })
})

describe('files that are refused', () => {
  const parts = xlsxParts({ Sheet1: cell('1') })

  test('an xlsx that says it unpacks to gigabytes, before anything is unpacked', async () => {
    const deflated = deflateWithSpaces('<worksheet><sheetData>', 2000)
    expect(deflated.length).toBeLessThan(3_000_000)
    const bomb = zipOf({ ...parts, 'xl/worksheets/sheet1.xml': { deflated, claimedSize: 2 ** 31 } })
    await expect(read(bomb)).rejects.toMatchObject({ fault: 'too_large' })
  })

  test('an xlsx that unpacks to more than it says', async () => {
    const deflated = deflateWithSpaces('<worksheet><sheetData>', 2000)
    const bomb = zipOf({ ...parts, 'xl/worksheets/sheet1.xml': { deflated, claimedSize: 10_000 } })
    const before = process.memoryUsage().rss
    await expect(read(bomb)).rejects.toMatchObject({ fault: 'damaged' })
    expect(process.memoryUsage().rss - before).toBeLessThan(100 << 20)
  })

  test.each(['xl/styles.xml', 'xl/workbook.xml', 'xl/sharedStrings.xml', '_rels/.rels'])(
    'the same in %s',
    async (name) => {
      const deflated = deflateWithSpaces('<x>', 2000)
      const bomb = zipOf({ ...parts, [name]: { deflated, claimedSize: 2 ** 31 } })
      await expect(read(bomb)).rejects.toMatchObject({ fault: 'too_large' })
    },
  )

  test('shared strings that would not fit into memory', async () => {
    const deflated = deflateWithSpaces('<sst>', 40)
    const file = zipOf({ ...parts, 'xl/sharedStrings.xml': { deflated, claimedSize: 40 << 20 } })
    await expect(read(file)).rejects.toMatchObject({ fault: 'too_large' })
  })

  test('a zip with very many entries', async () => {
    const many = Object.fromEntries(Array.from({ length: 2001 }, (_, n) => [`${n}.xml`, '']))
    await expect(read(zipOf({ ...parts, ...many }))).rejects.toMatchObject({ fault: 'too_large' })
  })

  test('an xlsx cut off at any place', async () => {
    const whole = zipOf(parts)
    for (let length = 4; length < whole.length; length += 97)
      await expect(read(whole.subarray(0, length))).rejects.toMatchObject({ fault: 'damaged' })
  })

  test('a sheet that ends in the middle', async () => {
    const file = zipOf({ ...parts, 'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${cell('1')}<row><c>` })
    await expect(read(file)).rejects.toMatchObject({ fault: 'damaged' })
  })

  test('bytes that were changed', async () => {
    const file = zipOf({
      ...parts,
      'xl/worksheets/sheet1.xml': { deflated: Buffer.from('hello'), claimedSize: 9 },
    })
    await expect(read(file)).rejects.toMatchObject({ fault: 'damaged' })
  })

  test('a zip that is no workbook', async () => {
    await expect(read(zipOf({ 'hello.txt': 'hello' }))).rejects.toMatchObject({ fault: 'unsupported' })
  })
})

test('our own export is read as it was', async () => {
  const rows = [
    ['Nguyễn Thị Huệ', '+84901234567', '=1+1'],
    ['王小明', '', 'line 1\nline 2 <&>"'],
  ]
  const columns = [0, 1, 2].map((n) => ({ title: `c${n}`, cell: (row: string[]) => row[n] ?? '' }))
  const pages = (async function* () {
    yield rows
  })()
  const file = Buffer.concat(await Readable.from(toXlsx(columns, pages)).toArray())
  expect((await read(file)).map(({ cells }) => cells)).toEqual([['c0', 'c1', 'c2'], ...rows])
})
