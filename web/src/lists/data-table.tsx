import { Button, Checkbox, Group, Skeleton, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { LoadFailed } from '../ui/load-failed.tsx'
import { Pagination } from './pagination.tsx'
import classes from './table.module.css'
import { type Column, Table } from './table.tsx'
import type { List } from './use-list.ts'

type Props<Row> = {
  list: List<Row>
  /** Translation key of the table's name, for screen readers. */
  label: string
  columns: Column<Row>[]
  /** Translation key of the text for an empty list. */
  empty: string
  /** Actions that an empty list leads to. */
  emptyButtons?: ReactNode
  actions?: (row: Row) => ReactNode
  /** Adds checkboxes. Returns a row's name for screen readers. */
  rowName?: (row: Row) => string
}

/** The table of a list page, with its pagination. */
export function DataTable<Row extends { id: number }>(props: Props<Row>) {
  const { list, label, columns, empty, emptyButtons, actions, rowName } = props
  const { t } = useTranslation()
  if (list.hasFailed) return <LoadFailed retry={list.retry} />
  const width = columns.length + (actions ? 1 : 0) + (rowName ? 1 : 0)
  return (
    <>
      <div className={classes.frame}>
        <Table
          label={t(label)}
          columns={columns}
          rows={list.rows}
          isBusy={list.isLoading || list.isRefreshing}
          sort={{ by: list.query.sortBy, direction: list.query.sortDirection, set: list.setSort }}
          isSelected={(row) => list.selected.includes(row)}
          first={
            rowName && {
              className: classes.select,
              header: (
                <Checkbox
                  label={t('COMMON.SELECT_ALL')}
                  disabled={list.rows.length === 0}
                  classNames={{ labelWrapper: classes.selectAll ?? '' }}
                  checked={list.isAllSelected}
                  indeterminate={list.selected.length > 0 && !list.isAllSelected}
                  onChange={list.toggleAll}
                />
              ),
              cell: (row) => (
                <Checkbox
                  aria-label={t('COMMON.SELECT_ROW', { name: rowName(row) })}
                  checked={list.selected.includes(row)}
                  onChange={() => list.toggle(row.id)}
                />
              ),
            }
          }
          last={
            actions && {
              className: classes.actions,
              header: t('COMMON.ACTIONS'),
              cell: (row) => (
                <Group gap={2} wrap="nowrap" justify="flex-end">
                  {actions(row)}
                </Group>
              ),
            }
          }
        >
          {list.isLoading && <SkeletonRows width={width} />}
          {!list.isLoading && list.rows.length === 0 && (
            <tr>
              <td colSpan={width} className={classes.empty}>
                <Stack align="center" gap="sm">
                  {t(empty)}
                  {emptyButtons}
                  {list.query.search !== '' && (
                    <Button variant="default" size="xs" onClick={() => list.setSearch('')}>
                      {t('COMMON.CLEAR_SEARCH')}
                    </Button>
                  )}
                </Stack>
              </td>
            </tr>
          )}
        </Table>
      </div>
      {list.pagination && (
        <Pagination paging={list.pagination} onPage={list.setPage} onPageSize={list.setPageSize} />
      )}
    </>
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
