import { expect, test } from 'vitest'
import { useContext } from '../../test/context.ts'
import { sql } from './database/sql.ts'

const context = useContext()

const ask = async (path: string) => (await context.app).inject(path)

//
test('the process is healthy, but only ready while the database has its schema', async () => {
  expect((await ask('/api/health')).json()).toEqual({ status: 'ok' })
  expect((await ask('/api/ready')).json()).toEqual({ status: 'ok' })

  await context.db.run(sql`drop schema public cascade`)

  expect((await ask('/api/health')).statusCode).toBe(200)
  expect(await ask('/api/ready')).toMatchObject({ statusCode: 503, headers: { 'retry-after': '2' } })
})
