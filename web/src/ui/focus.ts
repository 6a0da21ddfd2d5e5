/**
 * Where the keyboard and a screen reader go on when what had the focus is gone: in `wanted`, else on the page.
 * Whoever is somewhere already stays there.
 */
export function giveFocus(wanted: Element | null = null) {
  const { activeElement, body } = document
  if (activeElement !== null && activeElement !== body) return
  const isThere = wanted instanceof HTMLElement && wanted.isConnected && wanted !== body
  const target = isThere ? wanted : document.querySelector('main')
  target?.focus({ preventScroll: true })
}
