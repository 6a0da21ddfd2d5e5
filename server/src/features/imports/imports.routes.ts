import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import type { Caller } from '../../platform/access.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { Exports } from '../../platform/export/exports.ts'
import { clientSignal } from '../../platform/heavy/client-signal.ts'
import type { HeavyWork } from '../../platform/heavy/heavy-work.ts'
import { IDS_BODY_BYTES, route } from '../../platform/http.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { findImport, listImports } from './imports.queries.ts'
import {
  beginImport,
  changeReading,
  finishUpload,
  importFromInstance,
  previewImport,
  removeImport,
  undoImport,
} from './imports.service.ts'
import { exportProblems } from './problems.ts'
import { storeUpload, UPLOAD } from './upload.ts'

type Deps = {
  db: Pool
  config: Pick<Config, 'defaultCountry'>
  exports: Exports
  heavyWork: HeavyWork
}

export function importRoutes(app: FastifyInstance, { db, config, exports, heavyWork }: Deps): void {
  const { imports } = contract
  /** Recognising a file reads all of it, and unpacking one takes memory. */
  const inTurn = <T>(
    { caller, reply }: { caller: Caller; reply: Parameters<typeof clientSignal>[0] },
    work: () => Promise<T>,
  ) => heavyWork.run({ caller, signal: clientSignal(reply) }, work)

  route(app, imports.list, ({ caller, query }) => listImports(db, caller, query))
  route(app, imports.get, async ({ caller, params }) => orNotFound(await findImport(db, caller, params.id)))
  route(app, imports.preview, (input) =>
    inTurn(input, () => previewImport(db, input.caller, input.params.id)),
  )
  route(
    app,
    imports.upload,
    (input) => {
      const { begin, request } = input
      return storeUpload({ db, begin, request }, (id, fileName) =>
        inTurn(input, () => finishUpload({ db, begin }, { id, fileName, country: config.defaultCountry })),
      )
    },
    { streamsUpload: UPLOAD },
  )
  route(app, imports.fromInstance, ({ begin, body }) => importFromInstance(begin, body))
  route(
    app,
    imports.read,
    (input) => inTurn(input, () => changeReading({ db, ...input }, input.params.id, input.body)),
    { bodyBytes: IDS_BODY_BYTES },
  )
  route(app, imports.start, ({ begin, params, body }) => beginImport(begin, params.id, body))
  route(app, imports.undo, ({ begin, params }) => undoImport(begin, params.id))
  route(app, imports.remove, ({ begin, params }) => removeImport(begin, params.id))
  route(app, imports.problems, ({ caller, recheck, params, reply }) =>
    exportProblems({ db, exports }, { caller, recheck }, params.id, clientSignal(reply)),
  )
}
