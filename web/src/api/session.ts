import { fieldOfRight, type Right } from '@sendroom/contract/rights'
import type { SignedIn } from '@sendroom/contract/session'
import { createStore, useStore } from '../ui/store.ts'
import {
  clearStoredSession,
  currentToken,
  type SessionUser,
  signedInId,
  storeToken,
  storeUser,
} from './stored-session.ts'

export { storeToken as replaceToken } from './stored-session.ts'
export { type SessionUser, signedInId }

type ChangeListener = (idBefore: number | null) => void

/** The user as the server has named them to this tab. */
const user = createStore<SessionUser | null>(null)
let notifyExpired = () => {}
let notifyChanged: ChangeListener = () => {}
let askBeforeSignOut = async () => true

/** The signed-in user; null if there is none, or until the page's guard has read the user from the server. */
export const currentUser = () => (currentToken() === null ? null : user.get())

const signedInUser = { subscribe: user.subscribe, get: currentUser }
export const useCurrentUser = () => useStore(signedInUser)
export const onCurrentUser = signedInUser.subscribe

/** The id that was signed in when this tab last looked. */
let lastId = signedInId()

export const isAdmin = (someone: SessionUser | null) => someone?.role === 'Admin'
/** Whether a user has this right. Admins have every right. */
export const mayDo = (right: Right, someone: SessionUser | null) =>
  isAdmin(someone) || someone?.[fieldOfRight[right]] === true

export function startSession(signedIn: SignedIn) {
  storeToken(signedIn.token)
  setUser(signedIn.user)
}

export function endSession() {
  clearStoredSession()
  lastId = null
  user.set(null)
}

/** Sets who the user is by now, with their name, role and rights. */
export function updateUser(now: SessionUser) {
  const before = user.get()
  setUser(now)
  // The first answer changes nothing: the page's guard waits for it.
  if (before !== null && JSON.stringify(before) !== JSON.stringify(now)) notifyChanged(before.id)
}

function setUser(now: SessionUser) {
  storeUser(now)
  lastId = now.id
  user.set(now)
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

/** Sets what a sign-out asks first. False means that the user rather stays. */
export const onSignOut = (ask: () => Promise<boolean>) => {
  askBeforeSignOut = ask
}
export const maySignOut = () => askBeforeSignOut()

function lookWhoIsSignedIn() {
  const before = lastId
  lastId = signedInId()
  if (lastId === before) return
  user.set(null)
  notifyChanged(before)
}
// Another tab has stored something, or the back button shows a page that has missed what others stored meanwhile.
for (const event of ['storage', 'pageshow']) window.addEventListener(event, lookWhoIsSignedIn)
