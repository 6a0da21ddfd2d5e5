import type { Page } from '@sendroom/contract/paging'
import { useEffect } from 'react'

type Result = { data: Page<unknown> | undefined; isPlaceholderData: boolean }

/** Leads back to the last page when this one has no rows any more: an empty one has no way back. */
export function usePageEnd(
  { data, isPlaceholderData }: Result,
  page: number,
  setPage: (page: number) => void,
) {
  useEffect(() => {
    if (isPlaceholderData || !data) return
    const { totalCount, totalPages } = data.pagination
    if (data.data.length === 0 && totalCount > 0 && page > totalPages) setPage(totalPages)
  })
}
