import { limits } from '@sendroom/contract/limits'
import { type NumberFormat, numberText } from './number-cell.ts'
import { type Row, toRow } from './row.ts'
import { TableFileError } from './table-file-error.ts'
import { attribute, type XmlHandlers } from './xml.ts'
import type { Zip } from './zip.ts'

type SharedStrings = (place: number) => string | undefined
export type SheetContext = { formats: NumberFormat[]; sharedStrings: SharedStrings; isFrom1904: boolean }

/** The texts of all sheets are in one part, and all of them have to be kept while a sheet is read. */
const MAX_SHARED_BYTES = 32 << 20
/** 100,000 rows of 20 columns take about 100 MB. A thousandth of this is enough for a zip to unpack to as much. */
const MAX_SHEET_BYTES = 256 << 20

/** Collects the texts of all `t` in an element, which may be divided by its formats, without phonetic guides. */
function createTextCollector() {
  let text = ''
  let isInText = false
  let isInGuide = false
  return {
    open(name: string) {
      if (name === 't') isInText = true
      if (name === 'rPh') isInGuide = true
    },
    close(name: string) {
      if (name === 't') isInText = false
      if (name === 'rPh') isInGuide = false
    },
    text(part: string) {
      if (isInText && !isInGuide) text = append(text, part)
    },
    take() {
      const taken = decodeEscapes(text)
      text = ''
      return taken
    },
  }
}

/** A character more than allowed shows that a cell was too long. */
const append = (text: string, part: string) => (text + part).slice(0, limits.importCell + 1)

/** Excel writes characters that XML does not have as _x000D_. */
const decodeEscapes = (text: string) =>
  text.includes('_x')
    ? text.replace(/_x([\da-f]{4})_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

/** Reads the texts to which cells refer by their place. */
export async function readSharedStrings(zip: Zip, path: string | undefined): Promise<SharedStrings> {
  if (path === undefined || !zip.has(path)) return () => undefined
  const store = createTextStore(Math.min(zip.sizeOf(path), MAX_SHARED_BYTES))
  const collector = createTextCollector()
  const close = (name: string) => {
    collector.close(name)
    if (name === 'si') store.add(collector.take())
  }
  for await (const _ of zip.readXml(path, MAX_SHARED_BYTES, { ...collector, close }));
  return store.get
}

/** No text has a shorter tag. */
const SHORTEST = '<si/>'.length

/**
 * Keeps texts as bytes, outside of the heap: as strings they take three times as much, and V8 lets the heap grow in
 * proportion. They have less room in the file's XML than that has, and memory that is not used costs nothing.
 */
function createTextStore(xmlBytes: number) {
  const bytes = Buffer.allocUnsafeSlow(xmlBytes)
  const ends = new Uint32Array(Math.ceil(xmlBytes / SHORTEST))
  let count = 0
  let end = 0
  return {
    add(text: string) {
      // A byte that means nothing has become three.
      if (end + Buffer.byteLength(text) > xmlBytes) throw new TableFileError('damaged')
      end += bytes.write(text, end)
      ends[count++] = end
    },
    get: (place: number) =>
      place < count ? bytes.toString('utf8', place > 0 ? ends[place - 1] : 0, ends[place]) : undefined,
  }
}

/** Yields the rows of a sheet while its part is unpacked. */
export async function* readSheet(zip: Zip, path: string, context: SheetContext): AsyncGenerator<Row> {
  const reader = createSheetReader(context)
  for await (const _ of zip.readXml(path, MAX_SHEET_BYTES, reader.handlers)) yield* reader.takeRows()
  if (!reader.isComplete()) throw new TableFileError('damaged')
}

/** Excel has no more rows. */
const LAST_ROW = 1_048_576

type Cell = { column: number; type: string; style: number; value: string }

function createSheetReader(context: SheetContext) {
  const inline = createTextCollector()
  let rows: Row[] = []
  let number = 0
  let cells: string[] = []
  let nextColumn = 0
  let cell: Cell | null = null
  let isInValue = false
  let isComplete = false

  function addCell(cell: Cell, inlineText: string) {
    const { column } = cell
    const text = cell.type === 'inlineStr' ? inlineText : cellText(cell, context)
    if (text.trim() === '') return
    if (column >= limits.importColumns) throw new TableFileError('too_many_columns', number)
    while (cells.length < column) cells.push('')
    cells[column] = text
  }

  const handlers: XmlHandlers = {
    open(name, attributes) {
      if (name === 'row') {
        number = numberOf(attribute(attributes, 'r'), number)
        cells = []
        nextColumn = 0
      } else if (name === 'c') {
        cell = openCell(attributes, nextColumn)
        nextColumn = cell.column + 1
      } else if (name === 'v') isInValue = true
      else if (cell) inline.open(name)
    },
    close(name) {
      if (name === 'row') {
        const row = toRow(number, cells)
        if (row) rows.push(row)
      } else if (name === 'c' && cell) {
        addCell(cell, inline.take())
        cell = null
      } else if (name === 'v') isInValue = false
      else if (name === 'sheetData') isComplete = true
      else inline.close(name)
    },
    text(part) {
      if (!cell) return
      if (isInValue) cell.value = append(cell.value, part)
      else inline.text(part)
    },
  }

  return {
    handlers,
    isComplete: () => isComplete,
    takeRows() {
      const taken = rows
      rows = []
      return taken
    },
  }
}

/** A row without a number of its own, or with one that can't be, follows the row before. */
function numberOf(written: string | undefined, before: number): number {
  const number = Number(written)
  return Number.isInteger(number) && number > before && number <= LAST_ROW ? number : before + 1
}

function openCell(attributes: string, next: number): Cell {
  const letters = attribute(attributes, 'r')?.match(/^[A-Z]+/)?.[0]
  const column = letters ? columnOf(letters) : next
  return {
    column,
    type: attribute(attributes, 't') ?? 'n',
    style: Number(attribute(attributes, 's') ?? 0),
    value: '',
  }
}

const columnOf = (letters: string) =>
  [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1

function cellText(
  { type, style, value }: Cell,
  { formats, sharedStrings, isFrom1904 }: SheetContext,
): string {
  if (value === '') return ''
  if (type === 's') return sharedStrings(Number(value)) ?? ''
  if (type === 'n') return numberText(value, formats[style] ?? 'plain', isFrom1904)
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  return decodeEscapes(value)
}
