/** Prints rows with the same columns under a title. Numbers have at most one decimal place. */
export function printTable(title: string, rows: Record<string, string | number>[]): void {
  const columns = Object.keys(rows[0] ?? {})
  const cells = [columns, ...rows.map((row) => columns.map((column) => format(row[column] ?? '')))]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)))
  const isNumber = columns.map((column) => typeof rows[0]?.[column] === 'number')
  console.log(`\n${title}`)
  for (const line of cells)
    console.log(
      `  ${line.map((cell, index) => (isNumber[index] ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0))).join('  ')}`,
    )
}

const format = (value: string | number) =>
  typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 1 }) : value
