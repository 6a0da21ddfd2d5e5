import { UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { SortDirection } from './list-search.ts'
import classes from './table.module.css'

export type Column<Row> = {
  /** A translation key. */
  header: string
  cell: (row: Row) => ReactNode
  /** The field to sort by. A column without one can't be sorted. */
  sortBy?: string
  /** For short values that are hard to read when they wrap, such as dates. */
  isOneLine?: boolean
  /** The line of a compact card. Cells of one line stand side by side. */
  line?: 1 | 2 | 3
}

export type Sort = {
  by: string | undefined
  direction: SortDirection
  set: (by: string, direction: SortDirection) => void
}

/** A column before or after the others, with a look of its own. */
type EdgeColumn<Row> = { className: string | undefined; header: ReactNode; cell: (row: Row) => ReactNode }

type Props<Row> = {
  /** For screen readers. */
  label: string
  columns: Column<Row>[]
  rows: Row[]
  isBusy?: boolean
  sort?: Sort
  first?: EdgeColumn<Row> | undefined
  last?: EdgeColumn<Row> | undefined
  isSelected?: (row: Row) => boolean
  /** Table rows above the others, such as a hint that there are none. */
  children?: ReactNode
}

/**
 * A table. On a small screen each row becomes a card, with a line for each column. If columns have lines, the card is
 * compact: it has those, without labels, and a line of actions.
 */
export function Table<Row extends { id: number }>(props: Props<Row>) {
  const { label, columns, rows, isBusy, sort, first, last, isSelected, children } = props
  const { t } = useTranslation()
  return (
    <table
      className={classes.table}
      data-compact={columns.some(({ line }) => line !== undefined) || undefined}
      aria-label={label}
      aria-busy={isBusy}
    >
      <thead>
        <tr>
          {first && <th className={first.className}>{first.header}</th>}
          {columns.map((column) => (
            <HeaderCell key={column.header} column={column} sort={sort} />
          ))}
          {last && <th className={last.className}>{last.header}</th>}
        </tr>
      </thead>
      <tbody>
        {children}
        {rows.map((row) => (
          <tr key={row.id} data-selected={isSelected?.(row) || undefined}>
            {first && <td className={first.className}>{first.cell(row)}</td>}
            {columns.map(({ header, cell, isOneLine, line }) => (
              <td
                key={header}
                data-label={t(header)}
                data-line={line}
                className={isOneLine ? classes.oneLine : undefined}
              >
                <div>{cell(row)}</div>
              </td>
            ))}
            {last && <td className={last.className}>{last.cell(row)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type HeaderProps<Row> = { column: Column<Row>; sort: Sort | undefined }

function HeaderCell<Row>({ column: { header, sortBy }, sort }: HeaderProps<Row>) {
  const { t } = useTranslation()
  if (sortBy === undefined || sort === undefined) return <th>{t(header)}</th>
  const isSorted = sort.by === sortBy
  const isAscending = sort.direction === 'asc'
  const Arrow = isAscending ? IconArrowUp : IconArrowDown
  return (
    <th aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : 'none'}>
      <UnstyledButton
        className={classes.sort}
        onClick={() => sort.set(sortBy, isSorted && isAscending ? 'desc' : 'asc')}
      >
        {t(header)}
        {isSorted && <Arrow size={14} aria-hidden />}
      </UnstyledButton>
    </th>
  )
}
