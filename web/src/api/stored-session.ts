import type { SignedIn } from '@sendroom/contract/session'
import { storage } from '../storage.ts'

export type SessionUser = SignedIn['user']
type StoredUser = Pick<SessionUser, 'id' | 'role'>

const TOKEN = 'token'
const USER = 'user'

export const currentToken = () => storage.getItem(TOKEN)
export const storeToken = (token: string) => storage.setItem(TOKEN, token)

/** The rest of the user is personal, so that each tab reads it from the server. Nothing takes a right from here. */
export const storeUser = ({ id, role }: StoredUser) => storage.setItem(USER, JSON.stringify({ id, role }))

function storedUser(): StoredUser | null {
  try {
    return JSON.parse(storage.getItem(USER) ?? 'null')
  } catch {
    return null
  }
}

/** The id of the signed-in user; null unless both a token and a user are stored. */
export const signedInId = () => (currentToken() === null ? null : (storedUser()?.id ?? null))

export function clearStoredSession() {
  storage.removeItem(TOKEN)
  storage.removeItem(USER)
}

/** Earlier versions stored the user's name, email address and rights, too. */
export function reduceStoredUser() {
  const user = storedUser()
  if (user) storeUser(user)
}

/** Whether an event of the storage may be about the session. Without a key, everything was removed. */
export const isOfSession = ({ key }: StorageEvent) => key === null || key === TOKEN || key === USER
