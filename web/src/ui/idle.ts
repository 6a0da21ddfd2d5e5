/** A tab in the background is hardly ever idle. */
const MAX_WAIT_MS = 1000

/** Resolves once the page is drawn and the browser has nothing else to do. Safari does not say when that is. */
export const idle = () =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: MAX_WAIT_MS })
    else setTimeout(resolve)
  })
