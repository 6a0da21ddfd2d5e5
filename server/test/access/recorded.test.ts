import { afterEach, beforeEach, expect, test } from 'vitest'
import { sql } from '../../src/platform/database/sql.ts'
import { context } from './fixture.ts'
import { prepare, signedIn } from './matrix.ts'

beforeEach(() => context.open())
afterEach(() => context.close())

// Every call that changes something is recorded in the audit log. audit.test.ts tests the entries.

/**
 * These change nothing but how Sendroom tells the callers themselves of troubles, and the answer has no data that they may
 * take away.
 */
const unrecorded = [
  'POST /groups/search',
  'POST /jobs/preview',
  'PUT /auth/language',
  'POST /notices/read',
  'PUT /notices/settings',
  'POST /notices/test-email',
]
/** These hand out a code or data, or unlink a phone. */
const recordedReads = [
  'GET /instances/:id/qrcode-base64',
  'GET /instances/:id/connect-code',
  'GET /instances/:id/logout',
  'GET /groups/:id/participants/export',
  'GET /jobs/:id/recipients/export/csv',
  'GET /jobs/:id/recipients/export/xlsx',
  'GET /jobs/:id/recipients/:recipientId/members',
  'GET /audit/export',
  'GET /dashboard/days/export',
]

const recorded = signedIn.filter(({ endpoint, name }) =>
  endpoint.method === 'GET' ? recordedReads.includes(name) : !unrecorded.includes(name),
)

test.each(recorded)('$name is recorded in the audit log', async ({ endpoint, row }) => {
  const { user, input } = await prepare({ endpoint, row })
  expect((await context.call(user, endpoint, input)).status).toBeLessThan(300)
  const entries = await context.db.many(sql`select user_id, user_name, address from audit_log`)
  expect(entries).not.toEqual([])
  for (const entry of entries)
    expect(entry).toEqual({ userId: user.id, userName: user.username, address: '127.0.0.1' })
})
