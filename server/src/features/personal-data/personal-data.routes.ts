import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { Exports } from '../../platform/export/exports.ts'
import { clientSignal } from '../../platform/heavy/client-signal.ts'
import { route } from '../../platform/http.ts'
import { exportNumber } from './export.ts'
import { readNumber } from './person.ts'
import { listRequests, requestToForget } from './requests.ts'

type Deps = { db: Pool; config: Pick<Config, 'defaultCountry'>; exports: Exports }

const limit = { rateLimit: { max: 60, timeWindow: 60_000 } }

export function personalDataRoutes(app: FastifyInstance, { db, config, exports }: Deps): void {
  const { personalData } = contract
  const numberOf = ({ phoneNumber }: { phoneNumber: string }) =>
    readNumber(db, phoneNumber, config.defaultCountry)
  route(
    app,
    personalData.export,
    async ({ body, reply, ...of }) =>
      exportNumber({ db, exports }, of, await numberOf(body), clientSignal(reply)),
    limit,
  )
  route(
    app,
    personalData.forget,
    async ({ begin, body }) => requestToForget(begin, await numberOf(body)),
    limit,
  )
  route(app, personalData.requests, () => listRequests(db))
}
