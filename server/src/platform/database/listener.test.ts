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

test('each channel receives its own notifications, until it is closed', async () => {
  const received: string[] = []
  const first = db.listen('first', (payload) => received.push(`first ${payload}`))
  await first.ready()
  const begun: string[] = []
  const second = db.listen(
    'second',
    (payload) => received.push(`second ${payload}`),
    () => begun.push('second'),
  )
  await until('the second channel listens', () => begun.length === 1)

  await notify('first', '1')
  await notify('second', '2')
  await until('both have arrived', () => received.length === 2)
  await first.close()
  await notify('first', '3')
  await notify('second', '4')
  await until('the last has arrived', () => received.includes('second 4'))

  expect(received).toEqual(['first 1', 'second 2', 'second 4'])
  await second.close()
})

test('a lost connection is opened again, and onListening is called', async () => {
  const received: string[] = []
  let begun = 0
  const listening = db.listen(
    'updates',
    (payload) => received.push(payload),
    () => begun++,
  )
  await listening.ready()

  await database.db.run(sql`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sendroom listener'`)

  await until('the channel listens again', () => begun > 1)
  await notify('updates', 'after')
  await until('the notification arrives', () => received.length === 1)
  expect(received).toEqual(['after'])
})

test('ready() rejects if the database is down', async () => {
  const down = connect({ ...database.address, host: '/nowhere' }, { applicationName: 'sendroom listener' })
  await expect(down.listen('updates', () => {}).ready()).rejects.toThrow('ENOENT')
  await down.end()
})

test('the heartbeat notices a connection that has gone silent', async () => {
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
    'updates',
    () => {},
    () => begun++,
  )
  await listening.ready()

  // On a busy machine a heartbeat may be late before that.
  const before = begun
  for (const socket of silenced.splice(0)) socket.unpipe().pause()

  await until('the channel listens again', () => begun > before)
  await listener.close()
  proxy.close()
})
