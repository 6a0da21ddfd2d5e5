import { expect, test } from 'vitest'
import { useWorld } from '../../test/world.ts'
import { sql } from './database/sql.ts'

const world = useWorld()

const ask = async (path: string) => (await world.app).inject(path)

//
test('the process is up, and ready only while the database has its schema', async () => {
  expect((await ask('/api/health')).json()).toEqual({ status: 'ok' })
  expect((await ask('/api/ready')).json()).toEqual({ status: 'ok' })

  await world.db.run(sql`drop schema public cascade`)

  expect((await ask('/api/health')).statusCode).toBe(200)
  expect(await ask('/api/ready')).toMatchObject({ statusCode: 503, headers: { 'retry-after': '2' } })
})
