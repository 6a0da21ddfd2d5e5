import { contract } from '@sendroom/contract'
import type { OptOutExport } from '@sendroom/contract/opt-outs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Config } from '../../config.ts'
import type { Begin, Caller, Recheck } from '../../platform/access.ts'
import { changesOf, record } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { Exports } from '../../platform/export/exports.ts'
import { clientSignal } from '../../platform/heavy/client-signal.ts'
import type { HeavyWork } from '../../platform/heavy/heavy-work.ts'
import { route } from '../../platform/http.ts'
import { requireVersion } from '../../platform/refusal.ts'
import { exportOptOuts } from './export.ts'
import { listPossible, lockSettings, readSettings, searchOptOuts, writeSettings } from './opt-outs.queries.ts'
import { addOptOuts, decide, finishOptOut } from './opt-outs.service.ts'

type Deps = { db: Pool; config: Pick<Config, 'defaultCountry'>; exports: Exports; heavyWork: HeavyWork }

type ExportInput = {
  caller: Caller
  begin: Begin
  recheck: Recheck
  body: OptOutExport
  reply: FastifyReply
}

const exportLimit = { rateLimit: { max: 60, timeWindow: 60_000 } }

/** For a list of 100,000 numbers. */
const largeList = { bodyBytes: 6 * 1024 * 1024, rateLimit: { max: 60, timeWindow: 60_000 } }

export function optOutRoutes(
  app: FastifyInstance,
  { db, config: { defaultCountry }, exports, heavyWork }: Deps,
): void {
  const { optOuts } = contract
  const exportAs = (format: 'csv' | 'xlsx', { body, reply, ...of }: ExportInput) =>
    exportOptOuts({ db, exports }, of, { ...body, format }, clientSignal(reply))
  route(app, optOuts.exportCsv, (input) => exportAs('csv', input), exportLimit)
  route(app, optOuts.exportXlsx, (input) => exportAs('xlsx', input), exportLimit)
  route(app, optOuts.search, ({ caller, body }) => searchOptOuts(db, caller, body))
  route(
    app,
    optOuts.create,
    ({ caller, begin, body, reply }) =>
      addOptOuts({ heavyWork, defaultCountry }, begin, { caller, signal: clientSignal(reply) }, body),
    largeList,
  )
  route(app, optOuts.end, ({ begin, params: { id }, body }) => finishOptOut(begin, id, body.reason))
  route(app, optOuts.possible, ({ caller, query }) => listPossible(db, caller, query))
  route(app, optOuts.decide, ({ begin, params: { id }, body }) => decide(begin, id, body, defaultCountry))
  route(app, optOuts.getSettings, () => readSettings(db))
  route(app, optOuts.updateSettings, ({ begin, body: { version, ...change } }) =>
    begin(async (tx, caller) => {
      const before = await lockSettings(tx)
      requireVersion(version, before.version)
      const after = await writeSettings(tx, change)
      const changes = changesOf(before, after, ['isForAll', 'words'])
      if (Object.keys(changes).length > 0)
        await record(tx, caller, { action: 'opt_out_settings.update', details: { changes } })
      return after
    }),
  )
}
