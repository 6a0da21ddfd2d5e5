import { redirect } from '@tanstack/react-router'
import i18next from 'i18next'
import { currentUser, isAdmin } from '../api/session.ts'
import { showLanguage } from '../i18n/i18n.ts'
import { storedLanguage } from '../i18n/load-texts.ts'
import { addToast } from '../ui/toasts.ts'

type Entry = { location: { href: string } }

/** Guards every page except the login. */
export async function requireSignedIn({ location }: Entry) {
  if (currentUser() === null) throw redirect({ to: '/login', search: { returnUrl: location.href } })
  await showLanguage(storedLanguage('app'))
}

/** Guards the pages for Admins. `requireSignedIn` has already run. */
export function requireAdmin() {
  if (isAdmin(currentUser())) return
  addToast({
    type: 'error',
    title: i18next.t('TOAST.ACCESS_DENIED'),
    msg: i18next.t('TOAST.ADMIN_ONLY'),
    theme: 'bootstrap',
    showClose: true,
    timeout: 5000,
  })
  throw redirect({ to: '/dashboard' })
}

export async function requireSignedOut({ search }: { search: { returnUrl?: string } }) {
  if (currentUser() !== null) throw redirect({ href: returnTarget(search.returnUrl) })
  await showLanguage(storedLanguage('login'))
}

/** The address to open after the login: a path of this app, never another site (`//evil.example`, `/\evil.example`). */
export function returnTarget(returnUrl: string | undefined): string {
  const { origin } = window.location
  if (!returnUrl?.startsWith('/') || !URL.canParse(returnUrl, origin)) return '/dashboard'
  const url = new URL(returnUrl, origin)
  return url.origin === origin ? url.pathname + url.search + url.hash : '/dashboard'
}
