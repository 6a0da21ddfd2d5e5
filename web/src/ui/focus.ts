/**
 * Focuses `wanted`, or else the page, after the focused element has disappeared. Keyboard and screen reader users
 * would otherwise start again at the top. Does nothing if another element has the focus.
 */
export function giveFocus(wanted: Element | null = null) {
  const { activeElement } = document
  if (activeElement && canHaveFocus(activeElement)) return
  const isThere = wanted instanceof HTMLElement && canHaveFocus(wanted)
  const target = isThere ? wanted : document.querySelector('main')
  target?.focus({ preventScroll: true })
}

/** Whether an element is in the document and enabled. The body has the focus when no element does. */
export const canHaveFocus = (element: Element) =>
  element.isConnected && element !== document.body && !element.matches(':disabled')
