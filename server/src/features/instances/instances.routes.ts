import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { route } from '../../platform/http.ts'
import { listInstances } from './instances.queries.ts'
import {
  clearInstanceData,
  createInstance,
  getInstance,
  removeInstance,
  resumeInstance,
  updateInstance,
} from './instances.service.ts'
import { logOut, requestInstanceSync, showPairingCode, showQr } from './link.ts'
import type { Deps } from './status.ts'

export function instanceRoutes(app: FastifyInstance, deps: Deps & { config: Config }): void {
  const { instances } = contract
  const { defaultCountry } = deps.config
  route(app, instances.list, ({ caller, query }) => listInstances(deps.db, caller, query))
  route(app, instances.get, ({ caller, params }) => getInstance(deps, caller, params.id))
  route(app, instances.create, ({ caller, body }) => createInstance(deps, caller, body))
  route(app, instances.update, ({ caller, params, body }) => updateInstance(deps, caller, params.id, body))
  route(app, instances.remove, ({ caller, params }) => removeInstance(deps, caller, params.id))
  route(app, instances.clearData, ({ caller, params }) => clearInstanceData(deps, caller, params.id))
  route(app, instances.qr, ({ caller, params }) => showQr(deps, caller, params.id))
  route(app, instances.pairingCode, ({ caller, params, query }) =>
    showPairingCode({ ...deps, defaultCountry }, caller, params.id, query.phone),
  )
  route(app, instances.logout, ({ caller, params }) => logOut(deps, caller, params.id))
  route(app, instances.resume, ({ caller, params }) => resumeInstance(deps, caller, params.id))
  route(app, instances.sync, ({ caller, params }) => requestInstanceSync(deps, caller, params.id))
}
