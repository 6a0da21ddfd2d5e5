import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { until } from '../../../test/until.ts'
import { connect, type Pool } from './connection.ts'
import { openListener } from './listener.ts'
import { sql } from './sql.ts'

let database: TestDatabase
let db: Pool
beforeEach(async () => {
  database = await createTestDatabase('template0')
  db = connect(database.address, { applicationName: 'sendroom listener' })
})
afterEach(async () => {
  await db.end(1000)
  await database.drop()
})

const notify = (channel: string, payload: string) =>
  database.db.run(sql`select pg_notify(${channel}, ${payload})`)

test('each channel hears its own notifications, until it is closed', async () => {
  const heard: string[] = []
  const first = db.listen('first', (payload) => heard.push(`first ${payload}`))
  await first.ready()
  const begun: string[] = []
  const second = db.listen(
    'second',
    (payload) => heard.push(`second ${payload}`),
    () => begun.push('second'),
  )
  await until('the second listens, too', () => begun.length === 1)

  await notify('first', '1')
  await notify('second', '2')
  await until('both were heard', () => heard.length === 2)
  await first.close()
  await notify('first', '3')
  await notify('second', '4')
  await until('the last was heard', () => heard.includes('second 4'))

  expect(heard).toEqual(['first 1', 'second 2', 'second 4'])
  await second.close()
})

test('a lost connection is opened again, and says that it was', async () => {
  const heard: string[] = []
  let begun = 0
  const listening = db.listen(
    'news',
    (payload) => heard.push(payload),
    () => begun++,
  )
  await listening.ready()

  await database.db.run(sql`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sendroom listener'`)

  await until('it listens again', () => begun === 2)
  await notify('news', 'after')
  await until('it hears', () => heard.length === 1)
  expect(heard).toEqual(['after'])
})

test('a database that is away is told to whoever waits for it', async () => {
  const away = connect({ ...database.address, host: '/nowhere' }, { applicationName: 'sendroom listener' })
  await expect(away.listen('news', () => {}).ready()).rejects.toThrow('ENOENT')
  await away.end()
})

test('a connection that has fallen silent is found out by its heartbeat', async () => {
  const silenced: Socket[] = []
  const proxy = createServer((socket) => {
    const upstream = createConnection(`${database.address.host}/.s.PGSQL.${database.address.port}`)
    silenced.push(
      upstream.on('error', () => {}),
      socket.on('error', () => {}),
    )
    socket.on('close', () => upstream.destroy())
    socket.pipe(upstream).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo // listening on TCP
  const listener = openListener(
    async () => {
      const client = new pg.Client({ ...database.address, host: '127.0.0.1', port })
      client.on('error', () => {})
      await client.connect()
      return client
    },
    { everyMs: 50, timeoutMs: 200 },
  )
  let begun = 0
  const listening = listener.listen(
    'news',
    () => {},
    () => begun++,
  )
  await listening.ready()

  for (const socket of silenced.splice(0)) socket.unpipe().pause()

  await until('it listens again', () => begun === 2)
  await listener.close()
  proxy.close()
})
