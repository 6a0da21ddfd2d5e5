import { contract } from '@sendroom/contract'
import type { Language } from '@sendroom/contract/languages'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { record, recordFailedSignIn } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { lockUser } from '../../platform/lock-user.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { findUser } from '../../platform/user-row.ts'
import { setDeviceCookie, visitorOf } from './device-cookie.ts'
import { register } from './registration.ts'
import { type Lasting, recordIdle, recordUse, saveLanguage } from './session.queries.ts'
import { confirm, signIn, signInWithCode } from './session.service.ts'
import { endSession } from './sessions.queries.ts'

const MINUTE = 60_000

/**
 * An attempt that has to wait was not checked, and recording these would let strangers fill the log. Whoever has to
 * enter a code has entered the right password.
 */
const isNoFailure = ({ code }: Refusal) => code === 'too_many_requests' || code === 'factor_required'

type Deps = {
  db: Pool
  secrets: Secrets
  lasting: Lasting
  selfRegistration: boolean
  passwordMin: number
  /** Called after each sign-in of an Admin. */
  onAdminSignIn: () => Promise<void>
}

export function sessionRoutes(
  app: FastifyInstance,
  { db, secrets, lasting, selfRegistration, passwordMin, onAdminSignIn }: Deps,
) {
  const deps = { db, secrets, lasting }
  app.decorate('recordUse', (caller) => recordUse(db, caller, lasting.idleMs))
  app.decorate('recordIdle', (caller) => recordIdle(db, caller))

  route(app, contract.session.options, async () => ({ selfRegistration, passwordMin }))

  route(app, contract.session.login, async ({ body, request, reply }) => {
    const visitor = visitorOf(request, secrets)
    const opened = await signIn(deps, body, visitor).catch(async (error) => {
      if (error instanceof Refusal && !isNoFailure(error))
        await db.begin((tx) => recordFailedSignIn(tx, body.username, request.ip))
      throw error
    })
    return welcome(opened, body.language, request, reply)
  })

  route(app, contract.session.loginCode, async ({ body, request, reply }) =>
    welcome(await signInWithCode(deps, body, visitorOf(request, secrets)), body.language, request, reply),
  )

  /** Does what follows a sign-in of one step or two. */
  async function welcome(
    { signedIn, known }: Awaited<ReturnType<typeof signIn>>,
    language: Language | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    if (language) await saveLanguage(db, signedIn.user.id, language)
    await setDeviceCookie(request, reply, { db, secrets }, known)
    if (signedIn.user.role === 'Admin') await onAdminSignIn()
    return signedIn
  }

  route(
    app,
    contract.session.register,
    async ({ body, request }) => {
      if (!selfRegistration) throw new Refusal('registration_closed')
      await register({ db, secrets, passwordMin }, body, request.ip)
    },
    { rateLimit: { max: 5, timeWindow: 60 * MINUTE } },
  )

  route(app, contract.session.me, async ({ caller }) => {
    const user = await findUser(db, caller.id)
    if (!user) throw new Refusal('unauthenticated') // deleted a moment ago
    return user
  })

  route(app, contract.session.language, ({ begin, caller, body }) =>
    begin(
      (tx, { id }) => saveLanguage(tx, id, body.language),
      (tx) => lockUser(tx, caller.id),
    ),
  )

  route(app, contract.session.confirm, ({ begin, caller, body, request }) =>
    confirm({ db, secrets }, begin, caller, body, visitorOf(request, secrets)),
  )

  route(app, contract.session.logout, ({ begin, caller }) =>
    begin(
      async (tx, caller) => {
        await endSession(tx, caller.id, caller.sessionId)
        await record(tx, caller, { action: 'session.sign_out' })
      },
      (tx) => lockUser(tx, caller.id),
    ),
  )
}
