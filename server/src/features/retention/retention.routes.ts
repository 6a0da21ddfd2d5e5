import { contract } from '@sendroom/contract'
import { Retention } from '@sendroom/contract/retention'
import type { FastifyInstance } from 'fastify'
import { changesOf, record } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { lockRetention, readRetention, writeRetention } from './retention.queries.ts'

export function retentionRoutes(app: FastifyInstance, { db }: { db: Pool }): void {
  const { retention } = contract
  route(app, retention.get, () => readRetention(db))
  route(app, retention.update, ({ begin, body }) =>
    begin(async (tx, caller) => {
      const before = await lockRetention(tx)
      await writeRetention(tx, body)
      const after = await readRetention(tx)
      const changes = changesOf(before, after, Retention.keyof().options)
      if (Object.keys(changes).length > 0)
        await record(tx, caller, { action: 'retention.update', details: { changes } })
      return after
    }),
  )
}
