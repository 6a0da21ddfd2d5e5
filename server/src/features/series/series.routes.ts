import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
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

export function seriesRoutes(app: FastifyInstance, { db, rules }: { db: Pool; rules: RecipientRules }): void {
  const { series } = contract
  route(app, series.list, ({ caller, query }) => listSeries(db, caller, query))
  route(app, series.get, async ({ caller, params }) => orNotFound(await findSeries(db, caller, params.id)))
  route(app, series.runs, async ({ caller, params, query }) => {
    orNotFound(await findSeries(db, caller, params.id))
    return listRuns(db, params.id, query)
  })
  route(app, series.create, ({ begin, body }) => createSeries(begin, rules, body))
  route(app, series.update, ({ begin, params, body }) => changeSeries(begin, rules, params.id, body))
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
