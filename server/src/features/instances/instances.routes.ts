import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import type { Commands } from '../../platform/commands.ts'
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

export function instanceRoutes(
  app: FastifyInstance,
  deps: Deps & { config: Config; commands: Commands },
): void {
  const { instances } = contract
  const { defaultCountry } = deps.config
  route(app, instances.list, ({ caller, query }) => listInstances(deps.db, caller, query))
  route(app, instances.get, ({ caller, params }) => getInstance(deps, caller, params.id))
  route(app, instances.create, ({ begin, caller, body }) => createInstance(deps, begin, caller, body))
  route(app, instances.update, ({ begin, params, body }) => updateInstance(deps, begin, params.id, body))
  const { commands } = deps
  route(app, instances.remove, ({ caller, begin, params: { id } }) =>
    commands.run({ caller, name: 'delete', kind: 'instance', ids: [id] }, () =>
      removeInstance(deps, begin, id),
    ),
  )
  route(app, instances.clearData, ({ caller, begin, params: { id } }) =>
    commands.run({ caller, name: 'clear', kind: 'instance', ids: [id] }, () =>
      clearInstanceData(deps, begin, id),
    ),
  )
  route(app, instances.qr, ({ params, ...of }) => showQr(deps, of, params.id))
  route(app, instances.pairingCode, ({ params, query, ...of }) =>
    showPairingCode({ ...deps, defaultCountry }, of, params.id, query.phone),
  )
  route(app, instances.logout, ({ caller, params }) => logOut(deps, caller, params.id))
  route(app, instances.resume, ({ begin, params }) => resumeInstance(begin, params.id))
  route(app, instances.sync, ({ begin, caller, params }) =>
    requestInstanceSync(deps, begin, caller, params.id),
  )
}
