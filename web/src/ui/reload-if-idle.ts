/**
 * People begin something with these: typing, pressing, choosing. Scrolling and pointing are nothing to lose.
 */
const beginnings = ['input', 'keydown', 'click'] as const

/** Reloads the page after this time, unless by then something was begun or opened that the reload would interrupt. */
export function reloadIfIdle(delayMs: number) {
  const address = window.location.href
  let isIdle = true
  const onBegin = () => {
    isIdle = false
  }
  for (const name of beginnings) window.addEventListener(name, onBegin, { capture: true })
  setTimeout(() => {
    for (const name of beginnings) window.removeEventListener(name, onBegin, { capture: true })
    // The back button changes only the address.
    const isStill = isIdle && window.location.href === address
    if (isStill && !hasDialog() && !hasUnsaved()) window.location.reload()
  }, delayMs)
}

const hasDialog = () => document.querySelector('[role="dialog"], [role="menu"]') !== null

/** Whether the browser would ask before a reload. A form on the page may have been filled in before. */
const hasUnsaved = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
