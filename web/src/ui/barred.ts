import type { MouseEvent } from 'react'
import { addToast } from './toasts.ts'

/**
 * Props of a button that can't be used now, and why, in words. It looks and counts as disabled, but stays within
 * reach: a finger sees no `title`, and the keyboard skips what is `disabled`. Pressing it tells the reason.
 */
export const barred = (reason: string) => ({
  'aria-disabled': true,
  'data-disabled': true,
  title: reason,
  onClick: () => addToast({ type: 'info', msg: reason }),
})

/** Props of a button whose work is under way. It is not `disabled`: that would take the focus from it. */
export const busy = {
  'aria-disabled': true,
  'aria-busy': true,
  // Nor does it submit its form.
  onClick: (event: MouseEvent) => event.preventDefault(),
}
