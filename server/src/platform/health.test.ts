import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { useContext } from '../../test/context.ts'
import { until } from '../../test/until.ts'
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

//
test('the server is ready while requests hold all connections of the pool', async () => {
  await ask('/api/ready')
  const answered = Promise.withResolvers<void>()
  onTestFinished(() => answered.resolve())
  const holders = Array.from({ length: 10 }, () => context.db.begin(() => answered.promise))
  await until('the pool is used up', () => context.db.usage().inUse === 10)

  expect((await ask('/api/ready')).statusCode).toBe(200)

  answered.resolve()
  await Promise.all(holders)
})

//
test('the server is ready while strangers ask thousands of times whether it is', async () => {
  await ask('/api/ready')
  const port = await context.listen()
  const strangers = Array.from({ length: 10 }, () => connect(port, '127.0.0.1').resume())
  onTestFinished(() => strangers.forEach((socket) => void socket.destroy()))

  for (const socket of strangers) socket.write('GET /api/ready HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(200))

  expect((await fetch(`http://127.0.0.1:${port}/api/ready`)).status).toBe(200)
})

test('a load balancer hears that the process leaves before the port closes, and no request fails', async () => {
  const app = await context.app
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const ready = async () => (await fetch(`${url}/api/ready`)).status
  expect(await ready()).toBe(200)

  const closing = app.close()
  await until('the process says that it leaves', async () => (await ready()) === 503)
  const { status, headers } = await fetch(`${url}/api/health`)
  expect([status, headers.get('connection')]).toEqual([200, 'close'])
  expect([await ready(), await ready()]).toEqual([503, 503])

  await closing
  await expect(ready()).rejects.toThrow('fetch failed')
})
