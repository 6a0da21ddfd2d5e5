/** After so long without any input, a request is not the user's but the page's own. */
const IDLE_MS = 60_000

// Opening the page is input.
let lastInputAt = Date.now()

function noteInput() {
  lastInputAt = Date.now()
}
for (const kind of ['pointerdown', 'keydown', 'wheel'])
  window.addEventListener(kind, noteInput, { capture: true, passive: true })

/**
 * Whether the user has done nothing in this tab for a while. What the tab asks for now keeps no session alive. A clock
 * that was set back by hours must not keep one alive for as long.
 */
export const isIdle = () => Math.abs(Date.now() - lastInputAt) > IDLE_MS
