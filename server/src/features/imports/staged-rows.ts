import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Row } from '../../platform/table-file/row.ts'
import type { TableSource } from '../../platform/table-file/source.ts'
import { readTable, type TableFormat } from '../../platform/table-file/table-file.ts'
import { type RowReader, readRow } from './read-row.ts'
import type { StagedRow } from './work.queries.ts'

/** Rows that are stored at once, unless they are long. V8 collects large strings late. */
const AT_ONCE = 200
const CHARACTERS_AT_ONCE = 1 << 16
/** About 3 ms of work. Then others get their turn, such as the engine. */
const ROWS_AT_A_TIME = 50

type Input = {
  format: TableFormat
  hasHeader: boolean
  reader: RowReader
  /** So many rows are stored already, and are skipped. */
  from: number
}

/** Yields what the rows of a file say, in parts. */
export async function* readStagedRows(source: TableSource, input: Input): AsyncGenerator<StagedRow[]> {
  const { format, hasHeader, reader, from } = input
  let place = hasHeader ? -1 : 0
  let pending: StagedRow[] = []
  let characters = 0
  for await (const row of readTable(source, format)) {
    place++
    if (place > from) {
      pending.push(stagedRow(place, row, reader))
      characters += row.cells.join('').length
    }
    if (pending.length === AT_ONCE || characters > CHARACTERS_AT_ONCE) {
      yield pending
      pending = []
      characters = 0
    }
    if (place % ROWS_AT_A_TIME === 0) await nextTurn()
  }
  if (pending.length > 0) yield pending
}

function stagedRow(place: number, row: Row, reader: RowReader): StagedRow {
  const { number, cells } = row
  const read = readRow(row, reader)
  if ('problem' in read) return { place, number, cells, outcome: 'refused', problem: read.problem }
  const { fieldValues, ...person } = read.person
  return { place, number, cells, ...person, field_values: fieldValues }
}
