import { contract } from '@sendroom/contract'
import type { NewSeries } from '@sendroom/contract/series'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import { clientSignal } from '../../platform/heavy/client-signal.ts'
import type { HeavyRequest } from '../../platform/heavy/heavy-work.ts'
import { route } from '../../platform/http.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { approveSeries, askSeriesChanges } from './approval.service.ts'
import { listRuns } from './runs.queries.ts'
import { moveRun, setRunMessage, skipRun } from './runs.service.ts'
import { findSeries, listSeries } from './series.queries.ts'
import {
  changeSeries,
  createSeries,
  endSeries,
  pauseSeries,
  type RecipientRules,
  removeSeries,
  resumeSeries,
} from './series.service.ts'

type Deps = {
  db: Pool
  /** Reads the form's typed numbers before the work begins. A form with many recipients waits for its turn. */
  withRules: <T>(
    request: HeavyRequest,
    form: NewSeries,
    work: (rules: RecipientRules) => Promise<T>,
  ) => Promise<T>
}

export function seriesRoutes(app: FastifyInstance, { db, withRules }: Deps): void {
  const { series } = contract
  route(app, series.list, ({ caller, query }) => listSeries(db, caller, query))
  route(app, series.get, async ({ caller, params }) => orNotFound(await findSeries(db, caller, params.id)))
  route(app, series.runs, async ({ caller, params, query }) => {
    orNotFound(await findSeries(db, caller, params.id))
    return listRuns(db, params.id, query)
  })
  route(app, series.create, ({ begin, caller, body, reply }) =>
    withRules({ caller, signal: clientSignal(reply) }, body, (rules) => createSeries(begin, rules, body)),
  )
  route(app, series.update, ({ begin, caller, params, body, reply }) =>
    withRules({ caller, signal: clientSignal(reply) }, body, (rules) =>
      changeSeries(begin, rules, params.id, body),
    ),
  )
  route(app, series.pause, ({ begin, params }) => pauseSeries(begin, params.id))
  route(app, series.resume, ({ begin, params }) => resumeSeries(begin, params.id))
  route(app, series.approve, ({ begin, params, body }) => approveSeries(begin, params.id, body))
  route(app, series.askChanges, ({ begin, params, body }) => askSeriesChanges(begin, params.id, body))
  route(app, series.end, ({ begin, params }) => endSeries(begin, params.id))
  route(app, series.remove, ({ begin, params }) => removeSeries(begin, params.id))
  route(app, series.skipRun, ({ begin, params }) => skipRun(begin, params.id, params.runId))
  route(app, series.setRunMessage, ({ begin, params, body }) =>
    setRunMessage(begin, params.id, params.runId, body),
  )
  route(app, series.moveRun, ({ begin, params, body }) => moveRun(begin, params.id, params.runId, body.dueAt))
}
