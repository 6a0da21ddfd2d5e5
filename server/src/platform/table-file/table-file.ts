import type { Encoding, Separator } from '@sendroom/contract/table-files'
import type { CountryCode } from 'libphonenumber-js'
import { type ColumnMeaning, guessColumns, type KnownField, looksLikeHeader } from './columns.ts'
import { detectSeparator, readCsv } from './csv.ts'
import { detectEncoding } from './encoding.ts'
import { type Row, withinLimits } from './row.ts'
import { readStart, type TableSource } from './source.ts'
import { TableFileError } from './table-file-error.ts'
import { openWorkbook } from './workbook.ts'

/** How a file is read, apart from its first row. */
export type TableFormat =
  | { kind: 'csv'; encoding: Encoding; separator: Separator }
  | { kind: 'xlsx'; sheet: string }

/** Choices of a user instead of what was recognised. */
export type TableChoices = {
  encoding?: Encoding
  separator?: Separator
  sheet?: string
  hasHeader?: boolean
}

export type TablePreview = {
  format: TableFormat
  /** The encoding is only a guess: somebody should look at the text. */
  isGuess: boolean
  /** The sheets of an xlsx. */
  sheets: string[]
  hasHeader: boolean
  header: string[] | null
  /** The meaning of each column of the first rows. */
  columns: ColumnMeaning[]
  /** The first rows after the header. */
  rows: Row[]
}

/** So many rows are looked at to guess the columns. */
const PREVIEW_ROWS = 50

/** Recognises how a file is to be read, and reads its first rows so. Throws a TableFileError if it can't be read. */
export async function previewTable(
  source: TableSource,
  choices: TableChoices,
  known: { fields: readonly KnownField[]; defaultCountry: CountryCode },
): Promise<TablePreview> {
  const { format, isGuess, sheets } = await recognise(source, choices)
  const rows: Row[] = []
  for await (const row of readTable(source, format)) if (rows.push(row) > PREVIEW_ROWS) break
  const cells = rows.map((row) => row.cells)
  const hasHeader = choices.hasHeader ?? looksLikeHeader(cells, known.defaultCountry)
  const header = hasHeader ? (cells.shift() ?? []) : null
  return {
    format,
    isGuess,
    sheets,
    hasHeader,
    header,
    columns: guessColumns(header, cells, known),
    rows: rows.slice(hasHeader ? 1 : 0),
  }
}

/**
 * Yields all rows with something in them, the header too, and keeps only the part of the file that it is reading.
 * Throws a TableFileError, perhaps after many rows, if the file can't be read to its end.
 */
export async function* readTable(source: TableSource, format: TableFormat): AsyncGenerator<Row> {
  if (format.kind === 'csv') return yield* withinLimits(readCsv(source, format))
  const workbook = await openWorkbook(source)
  try {
    yield* withinLimits(workbook.rows(format.sheet))
  } finally {
    workbook.close()
  }
}

type Recognised = Pick<TablePreview, 'isGuess' | 'sheets'> & { format: TableFormat }

async function recognise(source: TableSource, choices: TableChoices): Promise<Recognised> {
  const start = await readStart(source, 8)
  if (start.length === 0) throw new TableFileError('empty')
  if (isUnsupported(start)) throw new TableFileError('unsupported')
  if (start.toString('latin1').startsWith('PK\x03\x04')) {
    const { sheets, firstVisible, close } = await openWorkbook(source)
    close()
    return { format: { kind: 'xlsx', sheet: choices.sheet ?? firstVisible }, isGuess: false, sheets }
  }
  const detected = choices.encoding
    ? { encoding: choices.encoding, isGuess: false }
    : await detectEncoding(source)
  const separator = choices.separator ?? (await detectSeparator(source, detected.encoding))
  const format = { kind: 'csv', encoding: detected.encoding, separator } as const
  return { format, isGuess: detected.isGuess, sheets: [] }
}

/** An .xls, an xlsx with a password, a PDF, pictures, other archives. */
const SIGNATURES = [
  'd0cf11e0',
  '25504446',
  '89504e47',
  'ffd8ff',
  '1f8b08',
  '52617221',
  '377abcaf',
  '504b0506',
]

const isUnsupported = (start: Buffer) =>
  SIGNATURES.some((signature) => start.toString('hex').startsWith(signature))
