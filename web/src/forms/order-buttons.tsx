import { ActionIcon, Group } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconX, type TablerIcon } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'

type Props = {
  /** An id that the rows of a list share. */
  listId: string
  /** Names the row for screen readers. */
  name: string
  place: number
  count: number
  onMove: (by: 1 | -1) => void
  /** Left out if the row has to stay. */
  onRemove?: (() => void) | undefined
}

/** Moves a row of an ordered list up and down, and removes it. The focus moves along with the row. */
export function OrderButtons({ listId, name, place, count, onMove, onRemove }: Props) {
  const { t } = useTranslation()
  const idOf = (row: number, action: string) => `${listId}${row}${action}`
  const move = (by: 1 | -1) => {
    onMove(by)
    const isAtEnd = place + by === (by === 1 ? count - 1 : 0)
    const next = idOf(place + by, isAtEnd === (by === 1) ? 'up' : 'down')
    setTimeout(() => document.getElementById(next)?.focus())
  }
  const button = (
    action: string,
    label: string,
    Icon: TablerIcon,
    onClick: () => void,
    disabled: boolean,
  ) => (
    <ActionIcon
      id={idOf(place, action)}
      variant="subtle"
      color="gray"
      aria-label={t(label, { name })}
      title={t(label, { name })}
      {...{ onClick, disabled }}
    >
      <Icon size={18} aria-hidden />
    </ActionIcon>
  )
  return (
    <Group gap={2} wrap="nowrap" flex="none">
      {button('up', 'FORM.MOVE_UP', IconArrowUp, () => move(-1), place === 0)}
      {button('down', 'FORM.MOVE_DOWN', IconArrowDown, () => move(1), place === count - 1)}
      {button('x', 'FORM.REMOVE_ROW', IconX, () => onRemove?.(), !onRemove)}
    </Group>
  )
}
