import type { MouseEvent } from 'react'
import { addToast } from './toasts.ts'

/**
 * Props of a button that is unavailable for this reason (a text). The button looks and reads as disabled but can still
 * be pressed, which shows the reason: touch screens show no `title`, and the keyboard skips `disabled` buttons.
 */
export const disabledProps = (reason: string) => ({
  'aria-disabled': true,
  'data-disabled': true,
  title: reason,
  onClick: () => addToast({ type: 'info', msg: reason }),
})

/** Props of a button whose action is running. `disabled` would take the focus away from the button. */
export const busyProps = {
  'aria-disabled': true,
  'aria-busy': true,
  // A busy submit button must not submit again.
  onClick: (event: MouseEvent) => event.preventDefault(),
}

/** Calls `act` on the first click of a double-click only: the second would repeat the action, or undo it. */
export const ignoreDoubleClick = (act: () => unknown) => (event: MouseEvent) => {
  if (event.detail < 2) act()
}
