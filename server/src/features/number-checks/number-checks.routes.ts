import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import { IDS_BODY_BYTES, route } from '../../platform/http.ts'
import { orNotFound } from '../../platform/refusal.ts'
import type { CheckDeps } from './check-numbers.ts'
import { listOfContact, listQueues } from './number-checks.queries.ts'
import { requestChecks, stop } from './number-checks.service.ts'

export function numberCheckRoutes(app: FastifyInstance, deps: CheckDeps): void {
  const { numberChecks } = contract
  const { db } = deps
  route(app, numberChecks.list, async ({ caller }) => ({ queues: await listQueues(db, caller) }))
  route(app, numberChecks.create, ({ caller, begin, body }) => requestChecks(deps, begin, caller, body), {
    bodyBytes: IDS_BODY_BYTES,
  })
  route(app, numberChecks.stop, async ({ begin, params: { id } }) => ({ stopped: await stop(begin, id) }))
  route(app, numberChecks.ofContact, async ({ params: { id } }) => ({
    numbers: orNotFound(await listOfContact(db, id)),
  }))
}
