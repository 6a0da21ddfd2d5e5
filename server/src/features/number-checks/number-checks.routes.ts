import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { clientSignal } from '../../platform/heavy/client-signal.ts'
import { IDS_BODY_BYTES, route } from '../../platform/http.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { listOfContact, listQueues } from './number-checks.queries.ts'
import { previewChecks, type RequestDeps, requestChecks, stop } from './number-checks.service.ts'

export function numberCheckRoutes(
  app: FastifyInstance,
  { config, ...rest }: Omit<RequestDeps, 'defaultCountry'> & { config: Pick<Config, 'defaultCountry'> },
): void {
  const { numberChecks } = contract
  const { db } = rest
  const deps = { ...rest, defaultCountry: config.defaultCountry }
  route(app, numberChecks.list, async ({ caller }) => ({ queues: await listQueues(db, caller) }))
  const withNumbers = { bodyBytes: IDS_BODY_BYTES }
  route(
    app,
    numberChecks.create,
    ({ caller, begin, body, reply }) => requestChecks(deps, begin, caller, body, clientSignal(reply)),
    withNumbers,
  )
  route(
    app,
    numberChecks.preview,
    ({ caller, body, reply }) =>
      previewChecks(deps, body.phoneNumbers, {
        caller,
        signal: clientSignal(reply),
        replaces: 'preview',
      }),
    withNumbers,
  )
  route(app, numberChecks.stop, async ({ begin, params: { id } }) => ({ stopped: await stop(begin, id) }))
  route(app, numberChecks.ofContact, async ({ params: { id } }) => ({
    numbers: orNotFound(await listOfContact(db, id)),
  }))
}
