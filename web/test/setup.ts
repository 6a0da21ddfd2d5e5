import { cleanup, configure } from '@testing-library/react'
import { afterEach, vi } from 'vitest'
import { endSession, maySignOut } from '../src/api/session.ts'
import { currentToasts, removeToast } from '../src/ui/toasts.ts'

// Long timeouts for busy machines. An element that never appears still fails the test.
vi.setConfig({ testTimeout: 60_000 })
configure({ asyncUtilTimeout: 30_000 })

// Browser APIs that Mantine uses and happy-dom lacks.
window.matchMedia = (query) => ({
  matches: false,
  media: query,
  onchange: null,
  addListener: () => {},
  removeListener: () => {},
  addEventListener: () => {},
  removeEventListener: () => {},
  dispatchEvent: () => false,
})
HTMLElement.prototype.showPopover = () => {}
window.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
}
// Mantine's autosizing textarea listens to font loading.
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true })

afterEach(async () => {
  cleanup()
  // Also forgets what was typed: the save of a form that is gone may fail now, and the next test would get its values.
  await maySignOut()
  endSession()
  for (const { id } of currentToasts()) removeToast(id)
  localStorage.clear()
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})
