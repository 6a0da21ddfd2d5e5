import type { SignedIn } from '@sendroom/contract/session'
import { storage } from '../storage.ts'

export type SessionUser = SignedIn['user']
type StoredUser = Pick<SessionUser, 'id' | 'role'>

const TOKEN = 'token'
const USER = 'user'

/** Null unless the server could have given it. Any other text would fail each request, with no way to sign in. */
export function currentToken() {
  const token = storage.getItem(TOKEN)
  return token && /^[\w-]{1,200}$/.test(token) ? token : null
}
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
