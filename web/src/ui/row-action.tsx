import { ActionIcon, Loader } from '@mantine/core'
import type { TablerIcon } from '@tabler/icons-react'
import { barred, busy } from './barred.ts'
import classes from './row-action.module.css'
import { singly } from './singly.ts'

type Props = {
  label: string
  icon: TablerIcon
  onClick: () => void
  /** What it does: deletes, or stops and clears something. */
  tone?: 'danger' | 'warning'
  /** Why this can't be done now, in words: bars the button. */
  reason?: string | undefined
  loading?: boolean
  /** The very thing to do next: shows its name as well. */
  isNext?: boolean
}

/** A button of a table row: an icon with its name for the pointer and for screen readers. */
export function RowAction({
  label,
  icon: Icon,
  tone,
  reason,
  isNext = false,
  loading = false,
  onClick,
}: Props) {
  return (
    // One element in both looks: a dialog it has opened gives the focus back to it.
    <ActionIcon
      className={classes.action}
      variant={isNext ? 'light' : 'subtle'}
      size="md"
      color={isNext ? undefined : 'gray'}
      data-tone={tone}
      data-next={isNext || undefined}
      aria-label={label}
      title={label}
      onClick={singly(onClick)}
      {...(reason !== undefined && barred(reason))}
      {...(loading && busy)}
    >
      {loading ? <Loader size={18} color="currentcolor" /> : <Icon size={18} stroke={1.75} aria-hidden />}
      {isNext && <span className={classes.name}>{label}</span>}
    </ActionIcon>
  )
}
