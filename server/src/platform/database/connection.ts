import { setImmediate as nextTurn } from 'node:timers/promises'
import postgres from 'postgres'
import { arrayTypes } from './arrays.ts'

/** A pool of connections. */
export type Sql = postgres.Sql<{ bigint: number }>
/** What a query needs: a pool or a transaction. */
export type Db = postgres.ISql<{ bigint: number }>
/** A piece of SQL with its parameters, to build queries from. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>
/** Where a server listens; `host` may be the folder of a Unix socket. pg-boss takes the same object. */
export type DatabaseAddress = { host: string; port: number; user: string; password: string; database: string }
/** An address, or a `postgres://` URL. */
export type DatabaseTarget = DatabaseAddress | string

/**
 * Opens a pool; nothing connects before the first query.
 *
 * Rows come with camelCase keys (jsonb keeps its keys), `bigint` and `numeric` as numbers, `timestamptz` as
 * '2026-01-01T00:00:00.000Z' and `date` as '2026-01-01'; strings of that form are taken as parameters.
 */
export function connect(
  target: DatabaseTarget,
  {
    max = 10,
    applicationName,
    ...rest
  }: { max?: number; applicationName: string; onclose?: () => void; max_lifetime?: null },
): Sql {
  const options = {
    ...rest,
    max,
    onnotice: () => {},
    connect_timeout: 5,
    // The driver's own back-off grows to 20 s: a database that has come back would look down for that long.
    backoff: (retries: number) => Math.min(0.05 * 2 ** retries, 1),
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    connection: {
      ...{ application_name: applicationName, TimeZone: 'UTC', DateStyle: 'ISO' },
      // A process that is stopped within a transaction must not hold its locks until TCP gives up, hours later.
      idle_in_transaction_session_timeout: 15_000,
      // A plan for whatever values may come walks over a million rows for a search or a Member that has none of them.
      plan_cache_mode: 'force_custom_plan',
    },
    fetch_types: false,
    types: {
      ...arrayTypes,
      bigint: { to: 20, from: [20, 1700], parse: Number, serialize: String },
      date: { to: 1184, from: [1184], parse: toIso, serialize: asText },
      plainDate: { to: 1082, from: [1082], parse: (text: string) => text, serialize: asText },
    },
  }
  const sql =
    typeof target === 'string'
      ? postgres(target, { ...options, host: socketFolderOf(target) })
      : postgres({ ...target, ...options })
  rollBackOnlyWhatIsOpen(sql)
  return sql
}

/**
 * One connection beside a pool, like its own but for these settings: what is asked without waiting goes out in one
 * write, in order.
 */
export const connectAlone = ({ options }: Sql, settings: Record<string, string>): Sql =>
  // The driver opens its own connections, such as the listening one, from a pool's options in this way.
  postgres({
    ...{ ...options, max: 1, max_lifetime: null },
    connection: { ...options.connection, ...settings },
  } as unknown as postgres.Options<{ bigint: postgres.PostgresType<number> }>)

/**
 * For a transaction that writes many rows: the checks and triggers of each are statements, too, and would be planned for
 * each row anew. 50,000 recipients take a third of the time.
 */
export const planOnce = (tx: Db) => tx`set local plan_cache_mode = auto`

/**
 * When a connection is lost within a transaction, the driver writes its rollback into it all the same, and that ends
 * our process (porsager/postgres#1208). The caller has its answer by then: what is left of the transaction stays
 * where it is, for good.
 */
function rollBackOnlyWhatIsOpen(sql: Sql) {
  const begin = sql.begin.bind(sql)
  const guarded = <T>(run: (tx: postgres.TransactionSql<{ bigint: number }>) => T | Promise<T>) => {
    let isOver = false
    return begin(async (tx) => {
      try {
        return await run(tx)
      } catch (error) {
        if (isDatabaseDown(error)) await nextTurn() // in which the loss is known
        if (isOver) await new Promise(() => {})
        throw error
      }
    }).finally(() => {
      isOver = true
    })
  }
  Object.assign(sql, { begin: guarded })
}

/** A URL may name the folder of a Unix socket, as `postgres://user@%2Frun%2Fpostgresql/sendroom`; the driver can't. */
function socketFolderOf(url: string): string | undefined {
  const encoded = /^\w+:\/\/(?:[^@/]*@)?(%2F[^/:?]*)/i.exec(url)?.[1]
  return encoded && decodeURIComponent(encoded)
}

const toIso = (text: string) => new Date(text).toISOString()
const asText = (value: Date | string) => (value instanceof Date ? value.toISOString() : value)

/** Columns to write, without the fields that were left out: the driver refuses undefined. */
export const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [F in keyof T]?: Exclude<T[F], undefined> // the filter's doing, which the types don't follow
  }

/** Whether the error is a violation of this unique constraint or index. */
export const isUniqueViolation = (error: unknown, constraint: string) =>
  error instanceof postgres.PostgresError && error.code === '23505' && error.constraint_name === constraint

/** Whether a parameter is of the right type and yet not known to the database, such as a time zone. */
export const isUnknownValue = (error: unknown) =>
  error instanceof postgres.PostgresError && error.code === '22023'

const UNSTORABLE = new Set(['22021', '22P05', '22008']) // NUL in a text, NUL in JSON, a date there is not

/** Whether a parameter is of the right type and yet nothing the database can hold. */
export const isUnstorable = (error: unknown) =>
  error instanceof postgres.PostgresError && UNSTORABLE.has(error.code)

const DOWN = new Set([
  ...['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT'],
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
  ],
  // Shut down, crashed, still starting, out of connections, idle for too long within a transaction.
  ...['57P01', '57P02', '57P03', '53300', '25P03'],
])

/** Whether the database could not be reached: the same call may succeed in a moment. */
export function isDatabaseDown(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  // A missing socket is ENOENT, and so is any missing file: only connecting counts.
  if (error.code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect'
  return DOWN.has(error.code) || error.code.startsWith('08')
}
