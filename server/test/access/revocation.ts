import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { Endpoint } from '@sendroom/contract/endpoint'
import type { Db } from '../../src/platform/database/connection.ts'
import { identifier, join, sql } from '../../src/platform/database/sql.ts'
import type { TestUser } from '../factories.ts'
import { addressOf } from '../http-client.ts'
import { countWaiting } from '../locks.ts'
import { until } from '../until.ts'
import { context } from './fixture.ts'

// Shared by the tests of revocations during a request.

export type Revocation = (db: Db, user: TestUser) => Promise<unknown>

/** These write nothing, or nothing but the end of the caller's own session. */
export const harmless = [
  'POST /groups/search',
  'POST /contacts/search',
  'POST /opt-outs/search',
  'POST /text-previews',
  'POST /contacts/choices',
  'POST /lists/:id/contacts/search',
  'POST /jobs/preview',
  'POST /number-checks/preview',
  'POST /auth/logout',
]

/** The number of rows of each table that an endpoint could change, and the sum of the transactions that wrote them. */
export async function everything(db: Db) {
  const tables = [
    'users',
    'user_instances',
    'instances',
    'groups',
    'contacts',
    'contact_fields',
    'contact_tags',
    'tags',
    'messages',
    'jobs',
    'deliveries',
    'images',
    'retention',
    'forget_requests',
    'quotas',
    'manual_syncs',
    'api_keys',
    'sessions',
    'factors',
    'recovery_codes',
    'factor_rule',
    'webhook_receivers',
    'webhook_queue',
    'notice_choices',
    'audit_log',
  ]
  const sums = tables.map((table) => {
    // The count of refusals is written some seconds after them.
    const isOther = table === 'audit_log' ? sql`action not like 'security.%'` : sql`true`
    // The cells share the database, so the tables grow. The transaction that wrote a row says whether the row was
    // changed, and is read in a fraction of the time of the row.
    return sql`
      select ${table}::text as name, count(*) as rows, sum(xmin::text::bigint)::text as checksum
      from ${identifier(table)} t where ${isOther}`
  })
  return db.many(join(sums, ' union all '))
}

/** Whether the call was refused and has changed nothing. */
export async function verdict(status = 0, before: unknown): Promise<string> {
  if (![401, 403, 404].includes(status)) return `answered ${status}`
  return isDeepStrictEqual(await everything(context.db), before) ? 'refused' : 'changed something'
}

export const allRefused = (answered: object) =>
  Object.fromEntries(Object.keys(answered).map((what) => [what, 'refused']))

/** Sends the headers and half of the body, and the rest only when `meanwhile` has ended. Returns the status. */
export async function sendInHalves(
  user: TestUser,
  endpoint: Endpoint,
  { params, query, body }: { params?: object; query?: object; body?: object },
  meanwhile: () => Promise<unknown>,
): Promise<number | undefined> {
  const app = await context.app
  const port = await context.listen()
  const find = app.findCaller
  const hasFound = new Promise<void>((resolve) => {
    app.findCaller = (...of) => find(...of).finally(resolve)
  })
  const bytes = Buffer.from(JSON.stringify(body))
  const sent = request({
    port,
    path: addressOf(endpoint, params, query),
    method: endpoint.method,
    headers: {
      authorization: `Bearer ${user.token}`,
      'content-type': 'application/json',
      'content-length': bytes.length,
    },
  })
  sent.write(bytes.subarray(0, bytes.length / 2))
  await hasFound
  app.findCaller = find
  await meanwhile()
  sent.end(bytes.subarray(bytes.length / 2))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}

/**
 * Calls while the revocation is not committed yet, so only a transaction that locks the caller waits for it. Returns
 * what became of the call.
 */
export async function callDuring(
  revoke: (tx: Db) => Promise<unknown>,
  user: TestUser,
  endpoint: Endpoint,
  input: unknown,
): Promise<string> {
  let hasAnswered = false
  const { before, answering } = await context.db.begin(async (tx) => {
    await revoke(tx)
    const before = await everything(tx)
    const answering = context.call(user, endpoint, input as never).finally(() => {
      hasAnswered = true
    })
    await until('the call waits', async () => hasAnswered || (await countWaiting(context.db)) > 0)
    return { before, answering: [answering] }
  })
  const [answer] = await Promise.all(answering)
  return verdict(answer?.status, before)
}
