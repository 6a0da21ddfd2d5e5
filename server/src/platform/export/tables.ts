import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db } from '../database/connection.ts'
import { sql } from '../database/sql.ts'
import { withFormulaGuard } from './formula-guard.ts'

/** A column of an exported table. Its width is in characters, and only for Excel. */
export type Column<Row> = { title: string; width?: number; cell: (row: Row) => string }

/**
 * Reads rows page by page, each with `read` from the last row of the page before. No transaction stays open between
 * them, however slowly the client takes the file. The first page is read before the answer begins: from then on an
 * error could only break the download off.
 *
 * `check` throws if the caller may no longer read the rows, or if they were deleted. It runs after each page: no row
 * that it forbids leaves, and a page that is empty because of a deletion does not count as the end.
 */
export async function readPages<Row>(
  read: (last: Row | null) => Promise<Row[]>,
  check: () => Promise<unknown>,
): Promise<AsyncGenerator<Row[]>> {
  async function readChecked(last: Row | null) {
    const page = await read(last)
    await check()
    return page
  }
  const first = await readChecked(null)
  return (async function* () {
    for (let page = first; page.length > 0; page = await readChecked(page.at(-1) ?? null)) yield page
  })()
}

export async function* toCsv<Row>(
  columns: Column<Row>[],
  pages: AsyncIterable<Row[]>,
  separator: ',' | ';' = ',',
): AsyncGenerator<string> {
  const lineOf = (cells: string[]) => `${cells.map(cellOf).join(separator)}\r\n`
  // The byte order mark tells Excel that the file is UTF-8.
  yield `\ufeff${lineOf(columns.map(({ title }) => title))}`
  for await (const page of pages) yield page.map((row) => lineOf(cellsOf(columns, row))).join('')
}

const cellsOf = <Row>(columns: Column<Row>[], row: Row) => columns.map(({ cell }) => cell(row))

const cellOf = (text: string) => `"${withFormulaGuard(text).replaceAll('"', '""')}"`

/** About 3 ms of work. Then other requests get their turn. */
const ROWS_AT_ONCE = 500

/** XML may not contain these two, so Excel would refuse the file. Anybody may have them in a WhatsApp name. */
const withoutNoncharacters = (cell: string) => cell.replace(/[\ufffe\uffff]/g, '\ufffd')

/** Cells are always of the type text, so that a name such as =1+1 never becomes a formula. */
export async function* toXlsx<Row>(
  columns: Column<Row>[],
  pages: AsyncIterable<Row[]>,
): AsyncGenerator<Uint8Array> {
  // Loaded here: the library takes 10 MB, which only exports need.
  const { writeXlsxStream } = await import('hucre/xlsx')
  yield* writeXlsxStream(rowsOf(columns, pages), {
    name: 'Sheet1',
    columns: columns.map(({ title, width }) => ({ header: withoutNoncharacters(title), width })),
    freezePane: { rows: 1 },
  })
}

async function* rowsOf<Row>(columns: Column<Row>[], pages: AsyncIterable<Row[]>): AsyncGenerator<string[]> {
  for await (const page of pages)
    for (const [index, row] of page.entries()) {
      if (index % ROWS_AT_ONCE === 0) await nextTurn()
      yield cellsOf(columns, row).map(withoutNoncharacters)
    }
}

/** Today's date in Vietnam, for the names of files. */
export async function findToday(db: Db): Promise<string> {
  const { today } = await db.one<{ today: string }>(sql`
    select to_char(clock_now() at time zone 'Asia/Ho_Chi_Minh', 'YYYY-MM-DD') as today`)
  return today
}
