import { redirect } from '@tanstack/react-router'
import i18next from 'i18next'
import { readUser } from '../api/client.ts'
import { waitUntilReachable } from '../api/network.ts'
import { currentUser, isAdmin, mayDo, type SessionUser, signedInId } from '../api/session.ts'
import { showLanguage } from '../i18n/i18n.ts'
import { storedLanguage } from '../i18n/load-texts.ts'
import { addToast } from '../ui/toasts.ts'
import type { Page } from './pages.ts'

type Entry = { location: { href: string } }

/** Guards every page except the login. Afterwards the user is known, with the rights that the server says. */
export async function requireSignedIn({ location }: Entry) {
  const login = redirect({ to: '/login', search: { returnUrl: location.href } })
  if (signedInId() === null) throw login
  // First, so that a failure has its words. `main.ts` has asked for the user already.
  await showTexts('app')
  if (currentUser() === null) await readUser()
  if (currentUser() === null) throw login
}

/** Whether the guards let this user open the page. A page for some rights needs one of them. */
export const mayOpen = ({ isForAdmins, rights }: Page, user: SessionUser | null) =>
  isForAdmins ? isAdmin(user) : !rights || rights.some((right) => mayDo(right, user))

/** Guards the pages that not everybody may open. `requireSignedIn` has already run. */
export function requireAllowed(page: Page) {
  if (mayOpen(page, currentUser())) return
  addToast({
    type: 'error',
    title: i18next.t('TOAST.ACCESS_DENIED'),
    msg: i18next.t(page.isForAdmins ? 'TOAST.ADMIN_ONLY' : 'TOAST.RIGHT_NEEDED'),
    theme: 'bootstrap',
    showClose: true,
    timeout: 5000,
  })
  throw redirect({ to: '/dashboard' })
}

export async function requireSignedOut({ search }: { search: { returnUrl?: string } }) {
  if (signedInId() !== null) throw redirect({ href: returnTarget(search.returnUrl) })
  await showTexts('login')
}

/** Waits for a server that is away: without texts, a page could not even say so. */
function showTexts(place: 'app' | 'login') {
  const show = () => showLanguage(storedLanguage(place))
  return show().catch(() => waitUntilReachable().then(show))
}

/**
 * The address to open after the login. Only the path counts, so it is never another site: neither `//evil.example` nor
 * `/.//evil.example`, of which a browser makes the first. A path that can't be decoded (`/%`) would be an empty page.
 */
export function returnTarget(returnUrl = ''): string {
  try {
    const { pathname, search, hash } = new URL(returnUrl, window.location.origin)
    if (/^\/[^/]/.test(decodeURI(pathname))) return pathname + search + hash
  } catch {}
  return '/dashboard'
}
