import { contract } from '@sendroom/contract'
import { FactorRule } from '@sendroom/contract/factor'
import type { FastifyInstance } from 'fastify'
import type { Begin, Caller } from '../../platform/access.ts'
import { changesOf, record } from '../../platform/audit.ts'
import { browserOf } from '../../platform/browser-name.ts'
import type { Pool, Tx } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { lockUser } from '../../platform/lock-user.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { setDeviceCookie } from './device-cookie.ts'
import { lockRule, readRule, readState, writeRule } from './factor.queries.ts'
import { beginFactor, finishFactor, newCodes, removeFactor, resetFactor } from './factor.service.ts'
import { findPassword } from './session.queries.ts'

/** The second factor of the caller, its reset by Admins, and who has to have one. */
export function factorRoutes(app: FastifyInstance, { db, secrets }: { db: Pool; secrets: Secrets }): void {
  const { factor } = contract
  route(app, factor.get, ({ caller }) => readState(db, caller.id))
  route(app, factor.begin, ({ begin }) => beginFactor(secrets, begin))
  route(app, factor.finish, ({ begin, caller, body, request, reply }) => {
    /** A code was entered here: wrong ones of a thief who has the password must not keep the owner out. */
    const knowBrowser = async (tx: Tx) => {
      const known = await findPassword(tx, caller.username)
      await setDeviceCookie(request, reply, { db: tx, secrets }, { ...known, id: caller.id })
    }
    return finishFactor(secrets, oneAtATime(begin, caller), body.code, browserOf(request), knowBrowser)
  })
  route(app, factor.newCodes, ({ begin, caller, request }) =>
    newCodes(oneAtATime(begin, caller), browserOf(request)),
  )
  route(app, factor.remove, ({ begin, caller, request }) =>
    removeFactor(oneAtATime(begin, caller), browserOf(request)),
  )
  route(app, factor.reset, ({ begin, caller, params }) => resetFactor(begin, caller, params.id))
  route(app, factor.rule, () => readRule(db))
  route(app, factor.setRule, ({ begin, body }) =>
    begin(async (tx, caller) => {
      const before = await lockRule(tx)
      await writeRule(tx, body)
      const changes = changesOf(before, body, FactorRule.keyof().options)
      if (Object.keys(changes).length > 0)
        await record(tx, caller, { action: 'factor_rule.update', details: { changes } })
      return body
    }),
  )
}

/** Changes of the user’s factor happen one after the other. A sign-in on its way waits, and then sees the change. */
const oneAtATime =
  (begin: Begin, { id }: Caller): Begin =>
  (work) =>
    begin(work, (tx) => lockUser(tx, id))
