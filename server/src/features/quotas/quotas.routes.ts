import { contract } from '@sendroom/contract'
import { Quotas } from '@sendroom/contract/quotas'
import type { FastifyInstance } from 'fastify'
import { changesOf, record } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { assignments, sql } from '../../platform/database/sql.ts'
import { route } from '../../platform/http.ts'
import { lockQuotas, readQuotas } from '../../platform/quotas.ts'

export function quotaRoutes(app: FastifyInstance, { db }: { db: Pool }): void {
  const { quotas } = contract
  route(app, quotas.get, () => readQuotas(db))
  route(app, quotas.update, ({ begin, body }) =>
    begin(async (tx, caller) => {
      const before = await lockQuotas(tx)
      await tx.run(sql`update quotas set ${assignments(body)}`)
      const changes = changesOf(before, body, Quotas.keyof().options)
      if (Object.keys(changes).length > 0)
        await record(tx, caller, { action: 'quotas.update', details: { changes } })
      return body
    }),
  )
}
