import { pageAt, pages } from './pages.ts'

export const loadShell = () => import('./shell.tsx').then(({ Shell }) => Shell)

/** Starts loading the code of the page at this address. Failures are left to the router, which loads it again. */
export function preloadPage(address: string) {
  loadShell().catch(() => {})
  pages[pageAt(address)].load().catch(() => {})
}
