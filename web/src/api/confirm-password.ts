import { call, type InputOf } from './client.ts'
import { replaceToken, signedInId } from './session.ts'

/** Enters the password once more. The session then has a new token, so that a stolen one ends. */
export async function confirmPassword(body: InputOf<'POST /auth/confirm'>['body']): Promise<void> {
  const { token } = await call('POST /auth/confirm', { body })
  // Without one, another tab has entered the password at the same moment, and has stored the token. Meanwhile the user
  // may have signed out.
  if (token !== null && signedInId() !== null) replaceToken(token)
}
