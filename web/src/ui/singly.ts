import type { MouseEvent } from 'react'

/** The second click of a double one is none: it would do the same twice, or undo it where the button has changed. */
export const singly = (act: () => unknown) => (event: MouseEvent) => {
  if (event.detail < 2) act()
}
