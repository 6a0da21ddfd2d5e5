import { ActionIcon, Loader } from '@mantine/core'
import type { TablerIcon } from '@tabler/icons-react'
import { busyProps, disabledProps, ignoreDoubleClick } from './button-props.ts'
import classes from './row-action.module.css'
import { useTip } from './tip.tsx'

/** An action of a table row. */
export type Action = {
  label: string
  icon: TablerIcon
  onClick: () => void
  /** `danger` for deleting, `warning` for stopping or clearing. */
  tone?: 'danger' | 'warning'
  /** Disables the action and says why. */
  reason?: string | undefined
  /** The row can never have this action, so a card shows the reason without a button. */
  isNever?: boolean
  loading?: boolean
  /** Highlights the next step. */
  isNext?: boolean
}

/** An icon button. The label is its tooltip and its name for screen readers. */
export function RowAction({ label, icon: Icon, tone, reason, isNext, loading = false, onClick }: Action) {
  const { props, tip } = useTip(reason === undefined ? label : `${label}\n${reason}`)
  return (
    // The same element with and without label, so that a dialog can return the focus to it.
    <ActionIcon
      className={classes.action}
      variant={isNext ? 'light' : 'subtle'}
      size="md"
      color={isNext ? undefined : 'gray'}
      data-tone={tone}
      data-next={isNext || undefined}
      aria-label={label}
      {...props}
      onClick={ignoreDoubleClick(onClick)}
      {...(reason !== undefined && {
        ...disabledProps(reason),
        title: '',
        'aria-description': reason,
      })}
      {...(loading && busyProps)}
    >
      {loading ? <Loader size={18} color="currentcolor" /> : <Icon size={18} stroke={1.75} aria-hidden />}
      {isNext ? <span className={classes.name}>{label}</span> : tip}
    </ActionIcon>
  )
}
