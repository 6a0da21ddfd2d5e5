import { ActionIcon, Button, Group, NativeSelect, Text } from '@mantine/core'
import { pageSizes } from '@sendroom/contract/limits'
import type { Pagination as Paging } from '@sendroom/contract/paging'
import {
  IconChevronLeft,
  IconChevronRight,
  IconChevronsLeft,
  IconChevronsRight,
  type TablerIcon,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../format.ts'
import { useTip } from '../ui/tip.tsx'
import classes from './pagination.module.css'

type Props = { paging: Paging; onPage: (page: number) => void; onPageSize: (size: number) => void }

/** Shown only if there is more than one page. Clicks on the current page or beyond the ends do nothing. */
export function Pagination({ paging, onPage, onPageSize }: Props) {
  const { t } = useTranslation()
  const { currentPage, pageSize, totalCount, totalPages, hasPrevious, hasNext } = paging
  if (totalPages <= 1) return null
  const go = (page: number) => {
    if (page >= 1 && page <= totalPages && page !== currentPage) onPage(page)
  }
  const jump = (label: string, icon: TablerIcon, page: number, isPossible: boolean) => (
    <Jump label={label} icon={icon} isPossible={isPossible} onClick={() => go(page)} />
  )
  return (
    <Group justify="space-between" gap="sm" mt="md">
      <Group gap="sm" wrap="nowrap" className={classes.size}>
        <Text size="sm" c="dimmed" aria-live="polite">
          {t('PAGINATION.SHOWING', {
            from: formatNumber(Math.min((currentPage - 1) * pageSize + 1, totalCount)),
            to: formatNumber(Math.min(currentPage * pageSize, totalCount)),
            total: formatNumber(totalCount),
          })}
        </Text>
        <NativeSelect
          aria-label={t('PAGINATION.PAGE_SIZE')}
          size="xs"
          w={72}
          data={pageSizes.map(String)}
          value={String(pageSize)}
          onChange={(event) => onPageSize(Number(event.currentTarget.value))}
        />
      </Group>
      <Group component="nav" gap={4} className={classes.pages} aria-label={t('PAGINATION.PAGES')}>
        {jump(t('PAGINATION.FIRST'), IconChevronsLeft, 1, hasPrevious)}
        {jump(t('PAGINATION.PREVIOUS'), IconChevronLeft, currentPage - 1, hasPrevious)}
        {pageWindow(currentPage, totalPages).map((page) => (
          <Button
            key={page}
            size="compact-sm"
            variant={page === currentPage ? 'filled' : 'subtle'}
            color={page === currentPage ? undefined : 'gray'}
            aria-current={page === currentPage ? 'page' : undefined}
            aria-label={t('PAGINATION.PAGE', { page })}
            onClick={() => go(page)}
          >
            {page}
          </Button>
        ))}
        {jump(t('PAGINATION.NEXT'), IconChevronRight, currentPage + 1, hasNext)}
        {jump(t('PAGINATION.LAST'), IconChevronsRight, totalPages, hasNext)}
      </Group>
    </Group>
  )
}

/** Up to five page numbers: two on each side of the current one, shifted at the ends. */
export function pageWindow(currentPage: number, totalPages: number): number[] {
  const length = Math.min(5, totalPages)
  const first = Math.max(1, Math.min(currentPage - 2, totalPages - length + 1))
  return Array.from({ length }, (_, i) => first + i)
}

type JumpProps = { label: string; icon: TablerIcon; isPossible: boolean; onClick: () => void }

function Jump({ label, icon: Icon, isPossible, onClick }: JumpProps) {
  const { props, tip } = useTip(label)
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="md"
      aria-label={label}
      {...props}
      // `disabled` would take the focus away from the button that was just pressed.
      {...(!isPossible && { 'aria-disabled': true, 'data-disabled': true })}
      onClick={onClick}
    >
      <Icon size={16} aria-hidden />
      {tip}
    </ActionIcon>
  )
}
