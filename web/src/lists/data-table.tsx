import { Button, Checkbox, Group, Skeleton, Stack, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { LoadFailed } from '../ui/load-failed.tsx'
import classes from './data-table.module.css'
import { Pagination } from './pagination.tsx'
import type { List } from './use-list.ts'

export type Column<Row> = {
  /** A translation key. */
  header: string
  cell: (row: Row) => ReactNode
  /** The field to sort by, if one can. */
  sortBy?: string
  /** Short, and worse to read when it is broken: a date. */
  isOneLine?: boolean
}

type Props<Row> = {
  list: List<Row>
  /** What the table lists, for screen readers: a translation key. */
  label: string
  columns: Column<Row>[]
  /** A key: what an empty list says. */
  empty: string
  /** What to do about it next. */
  emptyAction?: ReactNode
  actions?: (row: Row) => ReactNode
  /** With checkboxes: how a row is called, for screen readers. */
  rowName?: (row: Row) => string
}

/** A list's table with its pages below. On a small screen each row becomes a card. */
export function DataTable<Row extends { id: number }>(props: Props<Row>) {
  const { list, label, columns, empty, emptyAction, actions, rowName } = props
  const { t } = useTranslation()
  if (list.hasFailed) return <LoadFailed retry={list.retry} />
  const width = columns.length + (actions ? 1 : 0) + (rowName ? 1 : 0)
  return (
    <>
      <div className={classes.frame}>
        <table
          className={classes.table}
          aria-label={t(label)}
          aria-busy={list.isLoading || list.isRefreshing}
        >
          <thead>
            <tr>
              {rowName && (
                <th className={classes.select}>
                  <Checkbox
                    label={t('COMMON.SELECT_ALL')}
                    disabled={list.rows.length === 0}
                    classNames={{ labelWrapper: classes.selectAll ?? '' }}
                    checked={list.isAllSelected}
                    indeterminate={list.selected.length > 0 && !list.isAllSelected}
                    onChange={list.toggleAll}
                  />
                </th>
              )}
              {columns.map((column) => (
                <HeaderCell key={column.header} column={column} list={list} />
              ))}
              {actions && <th className={classes.actions}>{t('COMMON.ACTIONS')}</th>}
            </tr>
          </thead>
          <tbody>
            {list.isLoading && <SkeletonRows width={width} />}
            {!list.isLoading && list.rows.length === 0 && (
              <tr>
                <td colSpan={width} className={classes.empty}>
                  <Stack align="center" gap="sm">
                    {t(empty)}
                    {list.query.search === '' ? (
                      emptyAction
                    ) : (
                      <Button variant="default" size="xs" onClick={() => list.setSearch('')}>
                        {t('COMMON.CLEAR_SEARCH')}
                      </Button>
                    )}
                  </Stack>
                </td>
              </tr>
            )}
            {list.rows.map((row) => (
              <tr key={row.id} data-selected={list.selected.includes(row) || undefined}>
                {rowName && (
                  <td className={classes.select}>
                    <Checkbox
                      aria-label={t('COMMON.SELECT_ROW', { name: rowName(row) })}
                      checked={list.selected.includes(row)}
                      onChange={() => list.toggle(row.id)}
                    />
                  </td>
                )}
                {columns.map((column) => (
                  <td
                    key={column.header}
                    data-label={t(column.header)}
                    className={column.isOneLine ? classes.oneLine : undefined}
                  >
                    <div>{column.cell(row)}</div>
                  </td>
                ))}
                {actions && (
                  <td className={classes.actions}>
                    <Group gap={2} wrap="nowrap" justify="flex-end">
                      {actions(row)}
                    </Group>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {list.pagination && (
        <Pagination paging={list.pagination} onPage={list.setPage} onPageSize={list.setPageSize} />
      )}
    </>
  )
}

function HeaderCell<Row>({ column, list }: { column: Column<Row>; list: List<Row> }) {
  const { t } = useTranslation()
  const { sortBy } = column
  if (sortBy === undefined) return <th>{t(column.header)}</th>
  const isSorted = list.query.sortBy === sortBy
  const isAscending = list.query.sortDirection === 'asc'
  const Arrow = isAscending ? IconArrowUp : IconArrowDown
  return (
    <th aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : 'none'}>
      <UnstyledButton
        className={classes.sort}
        onClick={() => list.setSort(sortBy, isSorted && isAscending ? 'desc' : 'asc')}
      >
        {t(column.header)}
        {isSorted && <Arrow size={14} aria-hidden />}
      </UnstyledButton>
    </th>
  )
}

const SkeletonRows = ({ width }: { width: number }) =>
  ['a', 'b', 'c', 'd', 'e'].map((row) => (
    <tr key={row}>
      <td colSpan={width}>
        <Skeleton height={18} my={4} />
      </td>
    </tr>
  ))
