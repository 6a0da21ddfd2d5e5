/**
 * The small entry module. It starts loading the texts and the page's code while the browser still downloads the
 * libraries, which index.html preloads (see `vite.config.ts`).
 */
import './app/content-policy.ts'
import { askEarly } from './api/early.ts'
import { reduceStoredUser, signedInId } from './api/stored-session.ts'
import { pageAt } from './app/pages.ts'
import { preloadPage } from './app/preload.ts'
import { loadTexts, storedLanguage } from './i18n/load-texts.ts'

reduceStoredUser()
const isSignedIn = signedInId() !== null
loadTexts(storedLanguage(isSignedIn ? 'app' : 'login'))
if (isSignedIn) {
  preloadPage(window.location.pathname)
  // Every page waits for its user, and has the bell.
  askEarly(['/api/auth/me', '/api/notices'])
  if (pageAt(window.location.pathname) === '/dashboard') askEarly(['/api/groups/stats', '/api/dashboard/now'])
}
import('./app/start.tsx')
// Formatting the first number takes a slow phone 40 ms. Doing it now uses the wait for the network.
if (isSignedIn) setTimeout(() => (0).toLocaleString())
