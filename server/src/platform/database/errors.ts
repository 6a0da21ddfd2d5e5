import pg from 'pg'

const sqlStateOf = (error: unknown) => (error instanceof pg.DatabaseError ? error.code : undefined)

/** Whether the error is a violation of this unique constraint or index. */
export const isUniqueViolation = (error: unknown, constraint: string) =>
  error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint

/** Whether a parameter has the right type but is a value that the database does not know, such as a time zone. */
export const isUnknownValue = (error: unknown) => sqlStateOf(error) === '22023'

const UNSTORABLE = new Set(['22021', '22P05', '22008']) // NUL in a text, NUL in JSON, a date outside the calendar

/** Whether a parameter has the right type but can't be stored. */
export const isUnstorable = (error: unknown) => UNSTORABLE.has(sqlStateOf(error) ?? '')

/** Whether a statement took longer than `statement_timeout`, or an operator cancelled it. */
export const isTimedOut = (error: unknown) => sqlStateOf(error) === '57014'

/** Whether a statement gave up waiting for a lock, after `lock_timeout` or in a deadlock. */
export const isKeptFromLock = (error: unknown) => ['55P03', '40P01'].includes(sqlStateOf(error) ?? '')

/** Thrown if the pool has been closed, or if no host accepts writes. The driver has no error for either. */
export class ConnectionError extends Error {
  readonly code = 'CONNECTION_UNAVAILABLE'
}

const DOWN = new Set([
  'CONNECTION_UNAVAILABLE',
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
  // Shut down, crashed, still starting, out of connections, idle too long in a transaction.
  ...['57P01', '57P02', '57P03', '53300', '25P03'],
])

/** The driver's errors for a lost connection have no code. These are the messages in pg/lib/client.js. */
const LOST =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired)/

/** Whether the error means that the database could not be reached. The same call may succeed in a moment. */
export function isDatabaseDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (!('code' in error) || typeof error.code !== 'string') return LOST.test(error.message)
  // ENOENT means a missing socket only if it comes from connecting.
  if (error.code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect'
  return DOWN.has(error.code) || error.code.startsWith('08')
}
