import type { SignedIn } from '@sendroom/contract/session'
import { useSyncExternalStore } from 'react'
import { currentToken, type SessionUser, storedUser, TOKEN, USER } from './stored-session.ts'

export type { SessionUser }

let user = storedUser()
let ended = () => {}
let changed: (before: SessionUser | null) => void = () => {}
const listeners = new Set<() => void>()

/** Signed in means: a token is stored, and a user. */
export const currentUser = () => (currentToken() === null ? null : user)

/** The last that was told. */
let known = currentUser()

export const isAdmin = (someone: SessionUser | null) => someone?.role === 'Admin'
/** An Admin may do all that a flag allows. */
export const mayDo = (flag: 'canSendMessages' | 'canCreateJobs', someone: SessionUser | null) =>
  isAdmin(someone) || someone?.[flag] === true

export const useCurrentUser = () => useSyncExternalStore(subscribe, currentUser)

export function startSession(signedIn: SignedIn) {
  localStorage.setItem(TOKEN, signedIn.token)
  localStorage.setItem(USER, JSON.stringify(signedIn.user))
  publish()
}

export function endSession() {
  localStorage.removeItem(TOKEN)
  localStorage.removeItem(USER)
  publish()
}

/** Somebody may have changed what this user may do. */
export function updateUser(now: SessionUser) {
  if (now.id !== currentUser()?.id) return
  localStorage.setItem(USER, JSON.stringify(now))
  publishElsewhere()
}

/** The server no longer takes this token. A late answer to an older token must not end a newer session. */
export function expireSession(token: string | null) {
  if (token !== currentToken()) return
  endSession()
  ended()
}

/** What to do when the server has ended the session. */
export const whenSessionEnds = (listener: () => void) => {
  ended = listener
}

/** What to do when another tab or the server has changed who is signed in, or what they may do. */
export const whenSessionChanges = (listener: typeof changed) => {
  changed = listener
}

function publish() {
  user = storedUser()
  known = currentUser()
  for (const listener of listeners) listener()
}

function publishElsewhere() {
  const before = known
  publish()
  if (JSON.stringify(before) !== JSON.stringify(known)) changed(before)
}

window.addEventListener('storage', ({ key }) => {
  if (key === null || key === TOKEN || key === USER) publishElsewhere()
})

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
