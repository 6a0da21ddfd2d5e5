/**
 * Why a file can't be read as a table:
 * - `empty`: no row has anything in it;
 * - `unsupported`: neither text nor xlsx, for example an .xls of old or a file with a password;
 * - `damaged`: an xlsx that is cut off or broken;
 * - `unclosed_quote`: a CSV that ends inside a quoted cell, because it is cut off or a quotation mark is missing;
 * - `no_such_sheet`: the chosen sheet is not in the file;
 * - `too_large`: more than the limits allow once it is unpacked;
 * - `too_many_columns`, `too_many_rows`: more than the limits allow.
 */
export type TableFileFault =
  | 'empty'
  | 'unsupported'
  | 'damaged'
  | 'unclosed_quote'
  | 'no_such_sheet'
  | 'too_large'
  | 'too_many_columns'
  | 'too_many_rows'

/** The whole file is refused. `row` is the number that a spreadsheet shows beside the row. */
export class TableFileError extends Error {
  readonly fault: TableFileFault
  readonly row: number | undefined

  constructor(fault: TableFileFault, row?: number, options?: ErrorOptions) {
    super(row === undefined ? fault : `${fault} in row ${row}`, options)
    this.name = 'TableFileError'
    this.fault = fault
    this.row = row
  }
}
