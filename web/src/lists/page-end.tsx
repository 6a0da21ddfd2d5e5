import { Text } from '@mantine/core'
import type { Pagination as Paging } from '@sendroom/contract/paging'
import { useTranslation } from 'react-i18next'
import { LoadFailed } from '../ui/load-failed.tsx'
import { Loading } from '../ui/loading.tsx'
import { Pagination } from './pagination.tsx'

type Props = {
  result: {
    data: { data: readonly unknown[]; pagination: Paging } | undefined
    isPending: boolean
    isError: boolean
    refetch: () => unknown
  }
  /** A translation key. */
  empty: string
  onPage: (page: { page: number; pageSize: number }) => void
}

/** The end of a small list inside a page: it loads, failed or is empty, and the way to its other pages. */
export function PageEnd({ result, empty, onPage }: Props) {
  const { t } = useTranslation()
  const { data, isPending, isError, refetch } = result
  if (isPending) return <Loading />
  if (!data) return isError && <LoadFailed retry={refetch} />
  return (
    <>
      {data.data.length === 0 && (
        <Text size="sm" c="dimmed">
          {t(empty)}
        </Text>
      )}
      <Pagination
        paging={data.pagination}
        onPage={(page) => onPage({ page, pageSize: data.pagination.pageSize })}
        onPageSize={(pageSize) => onPage({ page: 1, pageSize })}
      />
    </>
  )
}
