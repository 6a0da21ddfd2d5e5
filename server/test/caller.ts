import { tokenHashOf } from '../src/features/session/open-session.ts'
import { type Caller, findCaller } from '../src/platform/access.ts'
import type { Db } from '../src/platform/database/connection.ts'
import type { TestUser } from './factories.ts'

/** The user as a signed-in caller, for functions that a call would reach. */
export async function callerOf(db: Db, { token }: TestUser): Promise<Caller> {
  const caller = await findCaller(db, tokenHashOf(token), '')
  if (!caller) throw new Error('The user has no session.')
  return caller
}
