import { z } from 'zod'
import { limits } from './limits.ts'
import { blankable } from './values.ts'

export const sortDirections = ['asc', 'desc'] as const
export type SortDirection = (typeof sortDirections)[number]

/**
 * The schema for the query of a list: page (from 1), page size (up to 1,000), search, and sorting by one of
 * `sortFields`. Empty strings count as absent.
 */
export const listQuery = <const F extends string>(
  sortFields: readonly [F, ...F[]],
  defaults: { sortBy: NoInfer<F>; sortDirection: SortDirection },
) =>
  z.object({
    page: blankable(z.coerce.number().int().min(1).max(1_000_000).default(1)),
    pageSize: blankable(z.coerce.number().int().min(1).max(limits.pageSizeMax).default(limits.pageSize)),
    search: blankable(z.string().trim().max(limits.search).default('')),
    sortBy: blankable(z.enum(sortFields).default(defaults.sortBy as never)),
    sortDirection: blankable(z.enum(sortDirections).default(defaults.sortDirection)),
  })

/** The position of a page in its list. Pages are counted from 1. */
export const Pagination = z
  .object({
    currentPage: z.number(),
    pageSize: z.number(),
    totalCount: z.number(),
    totalPages: z.number(),
    hasPrevious: z.boolean(),
    hasNext: z.boolean(),
  })
  .meta({ id: 'Pagination' })
export type Pagination = z.output<typeof Pagination>

/** The schema for a list's answer: one page of rows. */
export const page = <S extends z.ZodType>(row: S) => z.object({ data: z.array(row), pagination: Pagination })
export type Page<T> = { data: T[]; pagination: Pagination }

/** Computes the pagination of an answer. A page beyond the end is allowed and has no next page. */
export function paginationOf(query: { page: number; pageSize: number }, totalCount: number): Pagination {
  const totalPages = Math.ceil(totalCount / query.pageSize)
  return {
    currentPage: query.page,
    pageSize: query.pageSize,
    totalCount,
    totalPages,
    hasPrevious: query.page > 1,
    hasNext: query.page < totalPages,
  }
}
