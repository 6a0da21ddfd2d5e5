import { ActionIcon, Button } from '@mantine/core'
import type { TablerIcon } from '@tabler/icons-react'
import classes from './row-action.module.css'

type Props = {
  label: string
  icon: TablerIcon
  onClick: () => void
  /** What it does: deletes, or stops and clears something. */
  tone?: 'danger' | 'warning'
  /** Why this can't be done now, in words: disables the button. */
  reason?: string | undefined
  loading?: boolean
  /** The very thing to do next: shows its name as well. */
  isNext?: boolean
}

/** A button of a table row: an icon with its name for the pointer and for screen readers. */
export function RowAction({ label, icon: Icon, tone, reason, isNext = false, ...rest }: Props) {
  const common = { title: reason ?? label, disabled: reason !== undefined, ...rest }
  if (isNext)
    return (
      <Button variant="light" size="compact-sm" leftSection={<Icon size={16} aria-hidden />} {...common}>
        {label}
      </Button>
    )
  return (
    <ActionIcon
      className={classes.action}
      variant="subtle"
      size="md"
      color="gray"
      data-tone={tone}
      aria-label={label}
      {...common}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
    </ActionIcon>
  )
}
