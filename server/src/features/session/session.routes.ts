import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import { record, recordFailedSignIn } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { Refusal } from '../../platform/refusal.ts'
import { findUser } from '../../platform/user-row.ts'
import { deleteSession } from './session.queries.ts'
import { register, signIn } from './session.service.ts'

const MINUTE = 60_000

type Deps = {
  db: Pool
  sessionDays: number
  selfRegistration: boolean
  passwordMin: number
  /** Called after each sign-in of an Admin. */
  onAdminSignIn: () => Promise<void>
}

export function sessionRoutes(
  app: FastifyInstance,
  { db, sessionDays, selfRegistration, passwordMin, onAdminSignIn }: Deps,
) {
  route(app, contract.session.options, async () => ({ selfRegistration, passwordMin }))

  route(
    app,
    contract.session.login,
    async ({ body, request }) => {
      const signedIn = await signIn(db, body, sessionDays).catch(async (error) => {
        if (error instanceof Refusal) await recordFailedSignIn(db, body.username, request.ip)
        throw error
      })
      await record(db, { ...signedIn.user, address: request.ip }, { action: 'session.sign_in' })
      if (signedIn.user.role === 'Admin') await onAdminSignIn()
      return signedIn
    },
    { rateLimit: { max: 20, timeWindow: 5 * MINUTE } },
  )

  route(
    app,
    contract.session.register,
    async ({ body, request }) => {
      if (!selfRegistration) throw new Refusal('registration_closed')
      await register(db, body, { passwordMin, address: request.ip })
    },
    { rateLimit: { max: 5, timeWindow: 60 * MINUTE } },
  )

  route(app, contract.session.me, async ({ caller }) => {
    const user = await findUser(db, caller.id)
    if (!user) throw new Refusal('unauthenticated') // deleted a moment ago
    return user
  })

  route(app, contract.session.logout, async ({ caller }) => {
    await deleteSession(db, caller.tokenHash)
    await record(db, caller, { action: 'session.sign_out' })
  })
}
