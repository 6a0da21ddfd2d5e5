import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import { type Caller, isAdmin } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import type { Db, Pool, Tx } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { lockUserChanges, lockWrites } from '../../platform/lock-user.ts'
import { orNotFound, Refusal } from '../../platform/refusal.ts'
import { endSessions } from '../../platform/sessions.ts'
import { endSession, findUsername, listSessions } from './sessions.queries.ts'

/** The sessions of users: one's own, and for Admins everybody's. */
export function sessionsRoutes(app: FastifyInstance, { db }: { db: Pool }): void {
  const { sessions } = contract
  route(app, sessions.list, async ({ caller, params: { id } }) => {
    await requireOwn(db, caller, id)
    return { sessions: await listSessions(db, id, caller.sessionId) }
  })
  route(app, sessions.end, ({ begin, caller, params: { id, sessionId } }) =>
    begin(
      async (tx, caller) => {
        const { username } = await requireOwn(tx, caller, id)
        if ((await endSession(tx, id, sessionId)) === 0) throw new Refusal('not_found')
        await recordEnd(tx, caller, { id, username }, 1)
      },
      (tx) => lockIfSeen(tx, caller, id),
    ),
  )
  route(app, sessions.endOthers, ({ begin, caller, params: { id } }) =>
    begin(
      async (tx, caller) => {
        const { username } = await requireOwn(tx, caller, id)
        const count = await endSessions(tx, id, caller.sessionId)
        if (count > 0) await recordEnd(tx, caller, { id, username }, count)
      },
      (tx) => lockIfSeen(tx, caller, id),
    ),
  )
}

/** Nobody holds up the writes of a user whom they do not see. */
async function lockIfSeen(tx: Db, caller: Caller, id: number) {
  if (caller.id === id) await lockWrites(tx, id)
  else if (isAdmin(caller)) await lockUserChanges(tx, id)
}

const recordEnd = (tx: Tx, caller: Caller, user: { id: number; username: string }, count: number) =>
  record(tx, caller, {
    action: 'session.end',
    object: { type: 'user', id: user.id, name: user.username },
    details: { count },
  })

/** Users see and end their own sessions, and Admins everybody's. */
async function requireOwn(db: Db, caller: Caller, userId: number) {
  if (!isAdmin(caller) && caller.id !== userId) throw new Refusal('not_found')
  return orNotFound((await findUsername(db, userId)) ?? null)
}
