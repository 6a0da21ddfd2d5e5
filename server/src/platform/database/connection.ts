import pg from 'pg'
import { type DatabaseAddress, type DatabaseTarget, targetOf } from '../../database-url.ts'
import type { AvailabilityLog } from './availability.ts'
import { openClients, type PoolUsage } from './clients.ts'
import { isDatabaseDown } from './errors.ts'
import type { Listen } from './listener.ts'
import { toObjects } from './rows.ts'
import { type DatabaseServer, openServer } from './server.ts'
import type { Sql } from './sql.ts'

/**
 * Runs queries: a pool or a transaction. Rows have camelCase keys and the types of `rows.ts`. `Row` describes what the
 * query selects, which the compiler can't check. A parameter may be null, but not undefined.
 */
export type Db = {
  many: <Row = Record<string, unknown>>(query: Sql) => Promise<Row[]>
  /** Returns the first row. Throws if there is none. */
  one: <Row = Record<string, unknown>>(query: Sql) => Promise<Row>
  /** Returns the first row, if there is one. */
  maybeOne: <Row = Record<string, unknown>>(query: Sql) => Promise<Row | undefined>
  /** Returns how many rows the statement selected, inserted, updated or deleted. */
  run: (query: Sql) => Promise<number>
  /** Runs statements without parameters, separated by semicolons. */
  script: (text: string) => Promise<void>
}

/** A transaction. What must be committed together takes this, because no pool fits. */
export type Tx = Db & { readonly isTransaction: true }

/** A pool of connections to one database. */
export type Pool = Db & {
  target: DatabaseTarget
  /** Runs `work` in a transaction: commits when it returns, rolls back when it throws. */
  begin: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  /**
   * Runs a transaction in two writes: BEGIN with the settings, then all statements and COMMIT at once. `work` must
   * issue its statements without awaiting one of them. A process that stalls in between holds no lock, because BEGIN
   * takes none.
   */
  beginPipelined: <T>(settings: Record<string, string>, work: (tx: Db) => Promise<T>) => Promise<T>
  /**
   * Sets these in each transaction from now on, also of dedicated pools. Nothing is set for single statements, and
   * nothing stays with the connection, which a pooler may give to others.
   */
  setInTransactions: (settings: Record<string, string>) => void
  listen: Listen
  /** Rejects if the database can't be reached or accepts no writes. */
  checkAvailable: () => Promise<void>
  usage: () => PoolUsage
  /**
   * Opens a pool of its own to the same server, of one connection or `max`, for work that must not wait for this pool.
   * Whoever finds its connections in use waits for as long as that takes.
   */
  dedicated: (max?: number) => Pool
  /** Waits for running queries and cuts their connections after `timeoutMs` (default 10 s). Later queries reject. */
  end: (timeoutMs?: number) => Promise<void>
}

type Options = {
  /** The most connections. */
  max?: number
  applicationName: string
  /** Gets a line when the database becomes unavailable and one when it is available again. */
  log?: AvailabilityLog
  /** Whether each transaction may run in another session, as behind a pooler. Nothing is prepared then. */
  isPooled?: boolean
}

/** Opens a pool. Nothing connects before the first query. */
export function connect(
  place: DatabaseTarget | DatabaseAddress,
  { max = 10, applicationName, log, isPooled = false }: Options,
): Pool {
  const target = 'places' in place ? place : targetOf(place)
  const server = openServer(target, applicationName, { log })
  const pool = openPool(server, max, isPooled ? executeUnnamed : executeNamed)
  const end = async (timeoutMs?: number) => {
    await Promise.all([pool.end(timeoutMs), server.close()])
  }
  return { ...pool, end }
}

/** As a pool's time limit. Connecting has its own, and a lost connection ends its queries. */
const NO_LIMIT = 0

function openPool(
  server: DatabaseServer,
  max: number,
  execute: Execute,
  waitMs?: number,
  always: Record<string, string> = {},
): Pool {
  const clients = openClients(server, max, waitMs)

  async function query<T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await clients.acquire()
    try {
      const result = await run(client)
      clients.release(client)
      return result
    } catch (error) {
      clients.release(client, isBroken(error))
      throw error
    }
  }

  /** Reuses the connection only if the transaction has certainly ended. */
  async function transaction<T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await clients.acquire()
    try {
      const result = await run(client)
      clients.release(client)
      return result
    } catch (error) {
      const hasEnded = await client.query('rollback').catch(() => null)
      clients.release(client, isBroken(error) || hasEnded === null)
      throw error
    }
  }

  return {
    ...queriesOf((statement) => query((client) => execute(client, statement))),
    script: (text) => transaction(async (client) => void (await client.query(text))),
    begin: (work) =>
      transaction(async (client) => {
        await client.query(beginWith(always))
        const result = await work({ ...queriesOn(client, execute), isTransaction: true })
        checkCommitted(await client.query('commit'))
        return result
      }),
    beginPipelined: (settings, work) =>
      transaction(async (client) => {
        // Wait for BEGIN. If it failed, each statement behind it would commit on its own.
        await client.query(beginWith({ ...always, ...settings }))
        const working = work(queriesOn(client, execute))
        const committing = client.query('commit')
        await Promise.allSettled([working, committing])
        const result = await working
        checkCommitted(await committing)
        return result
      }),
    setInTransactions: (settings) => void Object.assign(always, settings),
    target: server.target,
    listen: server.listen,
    checkAvailable: server.checkAvailable,
    usage: clients.usage,
    dedicated: (most = 1) => openPool(server, most, execute, NO_LIMIT, always),
    end: clients.end,
  }
}

export const queriesOn = (client: pg.ClientBase, execute: Execute = executeNamed): Db => ({
  ...queriesOf((query) => execute(client, query)),
  script: async (text) => void (await client.query(text)),
})

function queriesOf(run: (query: Sql) => Promise<pg.QueryArrayResult>): Omit<Db, 'script'> {
  async function many<Row>(query: Sql) {
    return toObjects(await run(query)) as Row[] // named by the caller
  }
  async function maybeOne<Row>(query: Sql) {
    return (await many<Row>(query))[0]
  }
  return {
    many,
    maybeOne,
    async one<Row>(query: Sql) {
      const row = await maybeOne<Row>(query)
      if (row === undefined) throw new Error(`Expected a row from: ${query.text}`)
      return row
    },
    run: async (query) => (await run(query)).rowCount ?? 0,
  }
}

type Execute = (client: pg.ClientBase, query: Sql) => Promise<pg.QueryArrayResult>

const executeNamed: Execute = async (client, query) =>
  client.query({ name: nameOf(query.text), ...configOf(query) })

const executeUnnamed: Execute = async (client, query) => client.query(configOf(query))

function configOf({ text, values }: Sql): pg.QueryArrayConfig {
  if (values.includes(undefined)) throw new Error(`A parameter is undefined: ${text}`)
  return { text, values, rowMode: 'array' }
}

const names = new Map<string, string>()

/** Names a statement by its text. PostgreSQL prepares a named statement and parses it once for each connection. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `q${names.size}`
  names.set(text, name)
  return name
}

const beginWith = (settings: Record<string, string>) =>
  ['begin', ...Object.entries(settings).map(([name, value]) => `set local ${name} = ${value}`)].join(';')

/** If a statement of the transaction has failed, COMMIT rolls back and reports no error. */
function checkCommitted({ command }: { command: string }) {
  if (command !== 'COMMIT') throw new Error(`The transaction was not committed: it answered ${command}`)
}

/** Whether the connection is unusable. Its end may still be on the wire when the query's error arrives. */
const isBroken = (error: unknown) =>
  isDatabaseDown(error) || (error instanceof pg.DatabaseError && error.severity === 'FATAL')
