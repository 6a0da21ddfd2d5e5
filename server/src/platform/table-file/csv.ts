import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Encoding, type Separator, separators } from '@sendroom/contract/table-files'
import { type CastingContext, CsvError, type Options, parse } from 'csv-parse'
import { parse as parseAtOnce } from 'csv-parse/sync'
import { withoutFormulaGuard } from '../export/formula-guard.ts'
import { readText } from './encoding.ts'
import { type Row, toRow } from './row.ts'
import type { TableSource } from './source.ts'
import { TableFileError } from './table-file-error.ts'

export type CsvFormat = { encoding: Encoding; separator: Separator }

/** Bounds the memory if a quotation mark is missing: all that follows would be one row. */
const MAX_ROW_BYTES = 4 << 20

/** Empty cells have no bytes but take memory. Excel itself knows no more columns, and may write all of them. */
const MAX_CELLS = 16_384

const optionsFor = (separator: Separator): Options => ({
  delimiter: separator,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  max_record_size: MAX_ROW_BYTES,
})

/** Excel takes the separator from a first line such as `sep=;`, and does not show that line. */
const SEPARATOR_LINE = /^"?sep=([,;\t|])"?(?:\r\n|\n|\r|$)/i

const SAMPLE_CHARACTERS = 1 << 16
const SAMPLE_ROWS = 50

/**
 * Decides for the separator with which most of the first rows have a cell that looks like a phone number: also in names
 * and addresses each row may have a comma. Then for the one with which most rows have the same number of cells, but
 * more than one. A row may be an exception: a title, or a text with commas in a file with semicolons.
 */
export async function detectSeparator(source: TableSource, encoding: Encoding): Promise<Separator> {
  const sample = await readSample(source, encoding)
  const named = separators.find((separator) => separator === SEPARATOR_LINE.exec(sample)?.[1])
  if (named) return named
  const scores = separators.map((separator) => ({ separator, ...scoreOf(sample, separator) }))
  const [best] = scores.sort(
    (one, other) => other.numbers - one.numbers || other.rows - one.rows || other.cells - one.cells,
  )
  return best && best.rows > 0 ? best.separator : ','
}

/**
 * Returns how many cells most rows have if that is more than one, the share of such rows, and the share of rows with a
 * number among several cells.
 */
function scoreOf(sample: string, separator: Separator) {
  const rows = rowsOf(sample, separator)
  const widths = rows.map((cells) => cells.length)
  const counts = Map.groupBy(
    widths.filter((cells) => cells > 1),
    (cells) => cells,
  )
  const [most = []] = [...counts.values()].sort((one, other) => other.length - one.length)
  const withNumber = rows.filter((cells) => cells.length > 1 && cells.some((cell) => NUMBER.test(cell)))
  return {
    rows: most.length / widths.length,
    cells: most[0] ?? 0,
    numbers: withNumber.length / widths.length,
  }
}

const NUMBER = /^\W{0,4}\d[\d\s().-]{6,18}\W?$/

function rowsOf(sample: string, separator: Separator): string[][] {
  const rows: string[][] = []
  const onRecord = (cells: string[]) => void rows.push(cells)
  try {
    parseAtOnce(sample, { ...optionsFor(separator), to: SAMPLE_ROWS, on_record: onRecord })
  } catch (error) {
    // The sample may end inside a quoted cell, or there is no such quoting with this separator.
    if (!(error instanceof CsvError)) throw error
  }
  return rows
}

/** Returns the first lines, without one that is cut off. */
async function readSample(source: TableSource, encoding: Encoding): Promise<string> {
  let text = ''
  for await (const part of readText(source, encoding)) {
    text += part
    if (text.length > SAMPLE_CHARACTERS) return text.slice(0, text.search(/[\r\n][^\r\n]*$/))
  }
  return text
}

type Parsed = { record: string[]; info: { records: number; empty_lines: number } }

/**
 * Yields the rows of a CSV. The last is `cut_off` if no line break follows and it has fewer cells than the first, or
 * ends inside a character.
 */
export async function* readCsv(source: TableSource, { encoding, separator }: CsvFormat): AsyncGenerator<Row> {
  let end = ''
  const text = async function* () {
    for await (const part of withoutSeparatorLine(readText(source, encoding))) {
      end = part.at(-1) ?? end
      yield part
    }
  }
  const parser = parse({ ...optionsFor(separator), info: true, cast: refuseEndlessRow })
  const parsing = pipeline(Readable.from(text()), parser).catch(() => {}) // also fails `parser`, which is read
  let width: number | undefined
  let last: { row: Row; isShort: boolean } | undefined
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const row = toRow(info.records + info.empty_lines, record.map(withoutFormulaGuard))
      if (!row) continue
      if (last) yield last.row
      width ??= record.length
      last = { row, isShort: record.length < width }
    }
  } catch (error) {
    throw asTableFileError(error)
  } finally {
    parser.destroy()
    await parsing
  }
  const isCutOff = last && (end === '\ufffd' || (last.isShort && !/[\r\n]/.test(end)))
  if (last) yield isCutOff ? { ...last.row, fault: { kind: 'cut_off' } } : last.row
}

function refuseEndlessRow(cell: string, { index, records, empty_lines }: CastingContext): string {
  if (index >= MAX_CELLS) throw new TableFileError('too_many_columns', records + empty_lines + 1)
  return cell
}

/** The first part of a text is long enough to hold the line, because files are read in parts of 64 kB. */
async function* withoutSeparatorLine(text: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true
  for await (const part of text) {
    yield isFirst ? part.replace(SEPARATOR_LINE, '') : part
    isFirst = false
  }
}

function asTableFileError(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error
  const row = Number(error.records) + Number(error.empty_lines) + 1
  const fault = error.code === 'CSV_QUOTE_NOT_CLOSED' ? 'unclosed_quote' : 'too_large'
  return new TableFileError(fault, row, { cause: error })
}
