import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { answer } from '../../platform/http.ts'
import { listInstances } from './instances.queries.ts'
import {
  clearInstanceData,
  createInstance,
  getInstance,
  removeInstance,
  resumeInstance,
  updateInstance,
} from './instances.service.ts'
import { logOut, requestGroups, showPairingCode, showQr } from './link.ts'
import type { Parts } from './status.ts'

export function instanceRoutes(app: FastifyInstance, parts: Parts & { config: Config }): void {
  const { instances } = contract
  const { defaultCountry } = parts.config
  answer(app, instances.list, ({ caller, query }) => listInstances(parts.db, caller, query))
  answer(app, instances.get, ({ caller, params }) => getInstance(parts, caller, params.id))
  answer(app, instances.create, ({ caller, body }) => createInstance(parts, caller, body))
  answer(app, instances.update, ({ caller, params, body }) => updateInstance(parts, caller, params.id, body))
  answer(app, instances.remove, ({ caller, params }) => removeInstance(parts, caller, params.id))
  answer(app, instances.clearData, ({ caller, params }) => clearInstanceData(parts, caller, params.id))
  answer(app, instances.qr, ({ caller, params }) => showQr(parts, caller, params.id))
  answer(app, instances.pairingCode, ({ caller, params, query }) =>
    showPairingCode({ ...parts, defaultCountry }, caller, params.id, query.phone),
  )
  answer(app, instances.logout, ({ caller, params }) => logOut(parts, caller, params.id))
  answer(app, instances.resume, ({ caller, params }) => resumeInstance(parts, caller, params.id))
  answer(app, instances.sync, ({ caller, params }) => requestGroups(parts, caller, params.id))
}
