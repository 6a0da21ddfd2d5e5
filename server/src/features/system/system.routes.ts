import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import type { Providers } from '../../providers/provider.ts'
import { examine } from './examine.ts'

type Deps = { db: Pool; config: Config; providers: Providers }

/** Each examination opens connections, to the provider among others. */
const RATE = { max: 20, timeWindow: 60_000 }

export function systemRoutes(app: FastifyInstance, { db, config, providers }: Deps): void {
  route(
    app,
    contract.system.examine,
    async () => ({ findings: await examine({ db, config, provider: providers.live }) }),
    { rateLimit: RATE },
  )
}
