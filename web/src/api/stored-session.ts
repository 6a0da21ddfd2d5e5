import type { SignedIn } from '@sendroom/contract/session'

export type SessionUser = SignedIn['user']

export const TOKEN = 'token'
export const USER = 'user'

export const currentToken = () => localStorage.getItem(TOKEN)

export function storedUser(): SessionUser | null {
  try {
    return JSON.parse(localStorage.getItem(USER) ?? 'null')
  } catch {
    return null
  }
}
