/**
 * Comes first and is small: it sends for the texts and the page's code while the libraries are still on their way
 * (`vite.config.ts` lets index.html name those).
 */
import { currentToken, storedUser } from './api/stored-session.ts'
import { sendForPage } from './app/pages.ts'
import { loadTexts, storedLanguage } from './i18n/load-texts.ts'

const isSignedIn = currentToken() !== null && storedUser() !== null
loadTexts(storedLanguage(isSignedIn ? 'app' : 'login'))
if (isSignedIn) sendForPage(window.location.pathname)
import('./app/start.tsx')
// The first number that is written takes a slow phone 40 ms: better now, while it waits for the network.
if (isSignedIn) setTimeout(() => (0).toLocaleString())
