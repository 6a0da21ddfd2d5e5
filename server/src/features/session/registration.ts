import { normalizeIP } from '@fastify/rate-limit'
import type { Registration } from '@sendroom/contract/session'
import type { z } from 'zod'
import { nobody, record } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { hashPassword, requireStrong } from '../../platform/passwords.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Secrets } from '../../platform/secrets.ts'
import {
  countWaiting,
  deleteRegistration,
  findReplaceable,
  insertWaitingUser,
  lockRegistrations,
} from './registration.queries.ts'

const PLACES = 50

/**
 * Registers a locked Member. With a taken name or email nothing is added, but the answer is the same: strangers must
 * not learn who is here. The audit log has the attempt, so an Admin can say what is wrong.
 */
export async function register(
  { db, secrets, passwordMin }: { db: Pool; secrets: Secrets; passwordMin: number },
  { username, email, password }: z.output<typeof Registration>,
  address: string,
): Promise<void> {
  await requireStrong(password, username, passwordMin)
  const passwordHash = await hashPassword(password, { user: `registration ${address}`, address })
  const registeredFrom = secrets.hash(`registration from ${normalizeIP(address)}`)
  await db.begin(async (tx) => {
    await lockRegistrations(tx)
    const isFull = (await countWaiting(tx)) >= PLACES
    const replaced = isFull ? await findReplaceable(tx) : null
    if (isFull && replaced === null) throw new Refusal('registration_closed')
    const id = await insertWaitingUser(tx, { username, email, passwordHash, registeredFrom })
    const entry =
      id === null
        ? { details: { username, email, isTaken: true } }
        : { object: { type: 'user', id, name: username } as const, details: { email } }
    await record(tx, nobody(address), { action: 'session.register', ...entry })
    if (id !== null && replaced !== null) await deleteRegistration(tx, replaced)
  })
}
