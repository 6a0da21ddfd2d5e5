/**
 * Where the keyboard and a screen reader go on when what had the focus is gone: in `wanted`, else on the page.
 * Whoever is somewhere already stays there.
 */
export function giveFocus(wanted: Element | null = null) {
  const { activeElement } = document
  if (activeElement && canHaveFocus(activeElement)) return
  const isThere = wanted instanceof HTMLElement && canHaveFocus(wanted)
  const target = isThere ? wanted : document.querySelector('main')
  target?.focus({ preventScroll: true })
}

/** Still there, and not disabled meanwhile. The body has it when nothing else does. */
export const canHaveFocus = (element: Element) =>
  element.isConnected && element !== document.body && !element.matches(':disabled')
