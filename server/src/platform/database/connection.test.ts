import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { until } from '../../../test/until.ts'
import { connect } from './connection.ts'
import { isDatabaseDown, isUniqueViolation } from './errors.ts'
import { json, sql } from './sql.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase('template0')
})
afterAll(() => database.drop())

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('rows', () => {
  test('have camelCase keys, except inside jsonb', async () => {
    const row = await database.db.maybeOne(sql`select '{"inner_key": 1}'::jsonb as outer_key`)
    expect(row).toEqual({ outerKey: { inner_key: 1 } })
  })

  test('have bigint, numeric and their arrays as numbers', async () => {
    const row = await database.db.maybeOne(
      sql`select 9007199254740991::bigint as a, 33.33::numeric as b, array[1::bigint] as c, count(*) as d`,
    )
    expect(row).toEqual({ a: 9007199254740991, b: 33.33, c: [1], d: 1 })
  })

  test('have instants in ISO 8601 and UTC, whatever time zone they were written in', async () => {
    const row = await database.db.maybeOne(
      sql`select '2026-01-01 07:00:00.5+07'::timestamptz as at, null::timestamptz as none`,
    )
    expect(row).toEqual({ at: '2026-01-01T00:00:00.500Z', none: null })
  })

  test('have a date as a plain date', async () => {
    const years = await database.db.maybeOne(sql`
      select '0015-06-30T23:22:01.5Z'::timestamptz as early, '0099-01-01T00:00:00Z'::timestamptz as late`)
    expect(years).toEqual({ early: '0015-06-30T23:22:01.500Z', late: '0099-01-01T00:00:00.000Z' })
    const row = await database.db.maybeOne(sql`select '2026-01-02'::date as day`)
    expect(row).toEqual({ day: '2026-01-02' })
  })
})

describe('parameters', () => {
  test('may be instants as text or as Date, dates, big numbers and objects', async () => {
    const row = await database.db.maybeOne(sql`
      select ${'2026-01-01T00:00:00.123Z'}::timestamptz as text, ${new Date(0)}::timestamptz as date,
             ${'2026-01-02'}::date as day, ${9007199254740991}::bigint as big, ${json({ some_key: ['x'] })}::jsonb as json,
             ${[1, 2]}::bigint[] as list`)
    expect(row).toEqual({
      text: '2026-01-01T00:00:00.123Z',
      date: '1970-01-01T00:00:00.000Z',
      day: '2026-01-02',
      big: 9007199254740991,
      json: { some_key: ['x'] },
      list: [1, 2],
    })
  })
})

test('half an emoji is stored as the replacement character, in a text and in JSON', async () => {
  const row = await database.db.maybeOne(
    sql`select ${'half \ud83d'} as text, ${json({ a: ['half \ud83d'] })} as json`,
  )
  expect(row).toEqual({ text: 'half \ufffd', json: { a: ['half \ufffd'] } })
})

test('lists are the same after a round trip', async () => {
  const texts = ['a', '', 'NULL', null, ',', '{}', 'line\nline', 'quote " and \\ backslash', ' blank ']
  const at = '2026-01-01T00:00:00.500Z'
  const id = '6f1b4f2e-93a5-4a7c-8a53-5f0f6c1f7c11'
  const row = await database.db.maybeOne(sql`
    select ${texts}::text[] as texts, ${[1, null, -2]}::int[] as ints, ${[2 ** 40]}::bigint[] as bigints,
      ${['true', 'false']}::boolean[] as booleans, ${[at]}::timestamptz[] as instants, ${[id]}::uuid[] as uuids,
      ${[]}::text[] as none, 3 = any(${[1, 3]}) as found`)
  expect(row).toEqual({
    texts,
    ints: [1, null, -2],
    bigints: [2 ** 40],
    booleans: [true, false],
    instants: [at],
    uuids: [id],
    none: [],
    found: true,
  })
})

test('a unique violation is recognised by the name of its constraint', async () => {
  await database.db.run(sql`create table users (email text constraint users_email_key unique)`)
  await database.db.run(sql`insert into users values ('a')`)
  const error = await rejection(database.db.run(sql`insert into users values ('a')`))
  expect(isUniqueViolation(error, 'users_email_key')).toBe(true)
  expect(isUniqueViolation(error, 'users_username_key')).toBe(false)
  expect(isDatabaseDown(error)).toBe(false)
})

describe('a transaction', () => {
  test('in which a statement has failed never counts as committed', async () => {
    const committed = database.db.begin(async (tx) => {
      await rejection(tx.run(sql`select 1 / 0`))
    })
    await expect(committed).rejects.toThrow('it answered ROLLBACK')
  })

  test('that is pipelined commits all statements, with the settings', async () => {
    await database.db.run(sql`create table pipelined (n int)`)
    const [, row] = await database.db.beginPipelined({ enable_seqscan: 'off' }, (tx) =>
      Promise.all([
        tx.run(sql`insert into pipelined values (1), (2)`),
        tx.one(sql`select sum(n) as sum, current_setting('enable_seqscan') as seqscan from pipelined`),
      ]),
    )
    expect(row).toEqual({ sum: 3, seqscan: 'off' })
    expect(await database.db.one(sql`show enable_seqscan`)).toEqual({ enableSeqscan: 'on' })
    expect(await database.db.run(sql`select from pipelined`)).toBe(2)
  })

  test.each([
    ['when one of them fails', {}, sql`select 1 / 0`],
    ['when it could not begin', { no_such_setting: '1' }, sql`select 1`],
  ])('that is pipelined commits no statement %s', async (_, settings, second) => {
    await database.db.run(sql`create table if not exists undone (n int)`)
    const begun = database.db.beginPipelined<unknown>(settings, (tx) =>
      Promise.all([tx.run(sql`insert into undone values (1)`), tx.run(second)]),
    )
    await expect(begun).rejects.toThrow()
    expect(await database.db.run(sql`select from undone`)).toBe(0)
  })
})

test('a parameter that is undefined is refused', async () => {
  await expect(database.db.run(sql`select ${undefined}`)).rejects.toThrow('A parameter is undefined')
})

test('closing a pool waits for running queries and refuses later ones', async () => {
  const db = connect(database.address, { max: 1, applicationName: 'sendroom test' })
  const running = db.one(sql`select pg_sleep(0.1), 1 as one`)
  const waiting = db.one(sql`select 2 as two`)
  const ended = db.end()
  expect(isDatabaseDown(await rejection(db.run(sql`select 3`)))).toBe(true)
  expect(await running).toMatchObject({ one: 1 })
  expect(await waiting).toEqual({ two: 2 })
  await ended
})

test('closing a pool cuts off a query that runs for too long', async () => {
  const db = connect(database.address, { max: 1, applicationName: 'sendroom test' })
  const running = rejection(db.run(sql`select pg_sleep(60)`))
  const waiting = rejection(db.run(sql`select 1`))
  await db.end(50)
  expect(isDatabaseDown(await running)).toBe(true)
  expect(isDatabaseDown(await waiting)).toBe(true)
})

describe('isDatabaseDown', () => {
  test.each([
    ['a missing socket', { host: '/nowhere', port: 5432 }],
    ['a closed port', { host: '127.0.0.1', port: 1 }],
  ])('is true for %s', async (_, at) => {
    const db = connect({ ...database.address, ...at }, { max: 1, applicationName: 'sendroom test' })
    expect(isDatabaseDown(await rejection(db.many(sql`select 1`)))).toBe(true)
    await db.end(0)
  })

  test('is true for a terminated connection, and the pool recovers by itself', async () => {
    const db = connect(database.address, { max: 1, applicationName: 'sendroom test' })
    const error = await rejection(db.many(sql`select pg_terminate_backend(pg_backend_pid())`))
    expect(isDatabaseDown(error)).toBe(true)
    await expect.poll(() => db.many(sql`select 1 as one`)).toEqual([{ one: 1 }])
    await db.end()
  })

  test('is true for a connection that ends during its first query, and no error is uncaught', async () => {
    const authenticated = Buffer.from([...Buffer.from('R'), 0, 0, 0, 8, 0, 0, 0, 0])
    const ready = Buffer.from([...Buffer.from('Z'), 0, 0, 0, 5, ...Buffer.from('I')])
    const server = createServer((socket) => {
      socket.once('data', () => {
        socket.write(Buffer.concat([authenticated, ready]))
        socket.once('data', () => socket.destroy())
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // listening on TCP
    const db = connect(
      { ...database.address, host: '127.0.0.1', port },
      { max: 1, applicationName: 'sendroom test' },
    )
    const uncaught: unknown[] = []
    const listener = (error: unknown) => uncaught.push(error)
    process.on('unhandledRejection', listener)

    expect(isDatabaseDown(await rejection(db.many(sql`select 1`)))).toBe(true)
    await db.end(0)
    server.close()
    await once(server, 'close')

    expect(uncaught).toEqual([])
    process.off('unhandledRejection', listener)
  })

  test('is true for a transaction whose connection is lost, and the pool recovers by itself', async () => {
    const sockets: Socket[] = []
    const proxy = createServer((socket) => {
      const upstream = createConnection(`${database.address.host}/.s.PGSQL.${database.address.port}`)
      sockets.push(socket)
      socket.on('error', () => {}).pipe(upstream.on('error', () => {}))
      upstream.pipe(socket)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const { port } = proxy.address() as AddressInfo // listening on TCP
    const db = connect(
      { ...database.address, host: '127.0.0.1', port },
      { max: 1, applicationName: 'sendroom lost' },
    )
    const uncaught: unknown[] = []
    const listener = (error: unknown) => uncaught.push(error)
    process.on('uncaughtException', listener)

    const lost = rejection(db.begin((tx) => tx.many(sql`select pg_sleep(60)`)))
    await until('the transaction runs', () =>
      database.db.run(sql`
        select from pg_stat_activity where application_name = 'sendroom lost' and query like '%pg_sleep%'`),
    )
    for (const socket of sockets) socket.destroy()

    expect(isDatabaseDown(await lost)).toBe(true)
    expect(await db.many(sql`select 1 as one`)).toEqual([{ one: 1 }])
    expect(uncaught).toEqual([])
    process.off('uncaughtException', listener)
    await db.end()
    proxy.close()
    await database.db.run(
      sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sendroom lost'`,
    )
  })

  test('is true for the queries of cut connections, and every other query gets its own answer', async () => {
    const sockets = new Set<Socket>()
    const proxy = createServer((socket) => {
      const upstream = createConnection(`${database.address.host}/.s.PGSQL.${database.address.port}`)
      sockets.add(socket.on('error', () => {}).on('close', () => upstream.destroy()))
      socket.pipe(upstream.on('error', () => {})).pipe(socket)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const { port } = proxy.address() as AddressInfo // listening on TCP
    const db = connect(
      { ...database.address, host: '127.0.0.1', port },
      { max: 5, applicationName: 'sendroom cut' },
    )
    let isCutting = true
    let right = 0
    const askers = Array.from({ length: 20 }, async (_, asker) => {
      for (let nth = 0; isCutting; nth++) {
        const rows = db.many(
          sql`select ${asker}::int as asker, ${nth}::int as nth from generate_series(1, 3)`,
        )
        const answer = await rows.catch((error) => {
          if (!isDatabaseDown(error)) throw error
        })
        if (!answer) continue
        expect(answer).toEqual(Array(3).fill({ asker, nth }))
        right++
      }
    })

    for (let cut = 0; cut < 150; cut++) {
      await setTimeout(Math.random() * 50)
      for (const socket of sockets) socket.resetAndDestroy()
      sockets.clear()
      if (cut % 10 > 0) continue
      const before = right
      await until('queries are answered again', () => right > before)
    }
    isCutting = false

    const all = Promise.all(askers).then(() => 'answered')
    expect(await Promise.race([all, setTimeout(20_000, 'waits for ever')])).toBe('answered')
    await db.end(1000)
    proxy.close()
  })

  test('is true for a transaction that was idle for too long, and its locks are released', async () => {
    const db = connect(database.address, { max: 1, applicationName: 'sendroom test' })
    const set = await db.maybeOne(sql`show idle_in_transaction_session_timeout`)
    expect(set).toEqual({ idleInTransactionSessionTimeout: '15s' })

    const lost = rejection(
      db.begin(async (tx) => {
        await tx.run(sql`set local idle_in_transaction_session_timeout = '50ms'`)
        await tx.run(sql`select pg_advisory_xact_lock(1)`)
        await setTimeout(300)
        await tx.run(sql`select 1`)
      }),
    )

    expect(isDatabaseDown(await lost)).toBe(true)
    // PostgreSQL tells the client before it releases the locks.
    await expect
      .poll(() => database.db.many(sql`select pg_try_advisory_lock(1) as free`))
      .toEqual([{ free: true }])
    await expect.poll(() => db.many(sql`select 1 as one`)).toEqual([{ one: 1 }])
    await db.end()
  })

  test('is false for a missing file', () => {
    expect(isDatabaseDown(Object.assign(new Error('open'), { code: 'ENOENT', syscall: 'open' }))).toBe(false)
  })
})
