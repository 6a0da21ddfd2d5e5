import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/platform/database/sql.ts'
import { asProgram, openToKeys } from './as-program.ts'
import { context } from './fixture.ts'
import { prepare } from './prepare.ts'
import { harmless } from './revocation.ts'

beforeAll(() => context.open())
afterAll(() => context.close())

const isRecorded = ({ endpoint, name }: (typeof openToKeys)[number]) =>
  endpoint.method === 'GET'
    ? /members|voters|participants/.test(name)
    : !harmless.includes(name) && name !== 'POST /files'

// R-2016
test.for(openToKeys.filter(isRecorded))('$name by a key is recorded with its name', async (call) => {
  const { user, input } = await prepare(call)
  const key = await context.add.apiKey(user, { name: 'Shop system' })
  const { last } = await context.db.one<{ last: number }>(
    sql`select coalesce(max(id), 0) as last from audit_log`,
  )
  const { status } = await context.call(key, call.endpoint, asProgram(call.endpoint, input as object))
  expect(status).toBeLessThan(300)
  const entries = await context.db.many(sql`
    select user_id, user_name, details->>'apiKey' as key from audit_log where id > ${last}`)
  expect(entries).not.toEqual([])
  for (const entry of entries)
    expect(entry).toEqual({ userId: user.id, userName: user.username, key: 'Shop system' })
})
