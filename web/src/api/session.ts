import { fieldOfRight, type Right } from '@sendroom/contract/rights'
import type { SignedIn } from '@sendroom/contract/session'
import { createStore, useStore } from '../ui/store.ts'
import { currentToken, type SessionUser, storedUser, TOKEN, USER } from './stored-session.ts'

export type { SessionUser }

type ChangeListener = (before: SessionUser | null) => void

const user = createStore(storedUser())
let notifyExpired = () => {}
let notifyChanged: ChangeListener = () => {}

/** The signed-in user; null unless both a token and a user are stored. */
export const currentUser = () => (currentToken() === null ? null : user.get())

const signedInUser = { subscribe: user.subscribe, get: currentUser }
export const useCurrentUser = () => useStore(signedInUser)

/** The user at the last publish. */
let lastPublished = currentUser()

export const isAdmin = (someone: SessionUser | null) => someone?.role === 'Admin'
/** Whether a user has this right. Admins have every right. */
export const mayDo = (right: Right, someone: SessionUser | null) =>
  isAdmin(someone) || someone?.[fieldOfRight[right]] === true

export function startSession(signedIn: SignedIn) {
  localStorage.setItem(TOKEN, signedIn.token)
  localStorage.setItem(USER, JSON.stringify(signedIn.user))
  publish()
}

/** The session has a new token. Other tabs take it from the storage. */
export const replaceToken = (token: string) => localStorage.setItem(TOKEN, token)

export function endSession() {
  localStorage.removeItem(TOKEN)
  localStorage.removeItem(USER)
  publish()
}

/** Stores the user's new name, role and rights. Ignores other users. */
export function updateUser(now: SessionUser) {
  if (now.id !== currentUser()?.id) return
  localStorage.setItem(USER, JSON.stringify(now))
  publishAndNotify()
}

/** Ends the session whose token the server refused. A late answer to an older token must not end a newer session. */
export function expireSession(token: string | null) {
  if (token !== currentToken()) return
  endSession()
  notifyExpired()
}

/** Sets what happens when the server ends the session. */
export const onSessionExpired = (listener: () => void) => {
  notifyExpired = listener
}

/** Sets what happens when another tab or the server changes who is signed in, or the user's rights. */
export const onSessionChanged = (listener: ChangeListener) => {
  notifyChanged = listener
}

function publish() {
  user.set(storedUser())
  lastPublished = currentUser()
}

function publishAndNotify() {
  const before = lastPublished
  publish()
  if (JSON.stringify(before) !== JSON.stringify(lastPublished)) notifyChanged(before)
}

window.addEventListener('storage', ({ key }) => {
  if (key === null || key === TOKEN || key === USER) publishAndNotify()
})
