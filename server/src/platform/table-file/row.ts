import { limits } from '@sendroom/contract/limits'
import { TableFileError } from './table-file-error.ts'

/**
 * A row with something in it. `number` is what a spreadsheet shows beside the row. A row with a fault must not be used
 * as it is: a cell is longer than allowed and was shortened (`column` counts from 0), or the file ends in the row.
 */
export type Row = { number: number; cells: string[]; fault?: RowFault }
export type RowFault = { kind: 'cell_too_long'; column: number } | { kind: 'cut_off' }

/** Returns null for a row without any text. Empty cells at its end do not count. */
export function toRow(number: number, written: string[]): Row | null {
  const cells = written.map(clean)
  cells.length = cells.findLastIndex((cell) => cell !== '') + 1
  if (cells.length === 0) return null
  if (cells.length > limits.importColumns) throw new TableFileError('too_many_columns', number)
  const column = cells.findIndex((cell) => cell.length > limits.importCell)
  if (column === -1) return { number, cells }
  return {
    number,
    cells: cells.map((cell) => cell.slice(0, limits.importCell).toWellFormed()),
    fault: { kind: 'cell_too_long', column },
  }
}

/**
 * Windows-1258 has tones as combining characters, which NFC joins with their vowels. PostgreSQL takes neither the
 * character 0 nor half a surrogate pair.
 */
const clean = (cell: string) =>
  cell
    .replace(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are to be removed
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')
    .toWellFormed()
    .normalize('NFC')
    .trim()

/** An xlsx may name one long text in each of its cells. No CSV of the allowed size has so much. */
const MAX_CHARACTERS = 64 << 20

/** Yields the rows as long as there are no more than allowed, and throws if there is none. */
export async function* withinLimits(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  let count = 0
  let characters = 0
  for await (const row of rows) {
    for (const cell of row.cells) characters += cell.length
    if (characters > MAX_CHARACTERS) throw new TableFileError('too_large', row.number)
    // The header is not counted, and a file without one may have one row more.
    if (++count > limits.importRows + 1) throw new TableFileError('too_many_rows', row.number)
    yield row
  }
  if (count === 0) throw new TableFileError('empty')
}
