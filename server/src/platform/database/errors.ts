import pg from 'pg'

const sqlStateOf = (error: unknown) => (error instanceof pg.DatabaseError ? error.code : undefined)

/** Whether the error is a violation of this unique constraint or index. */
export const isUniqueViolation = (error: unknown, constraint: string) =>
  error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint

/** Whether a row that is deleted is still referred to, or one that is referred to is missing. */
export const isForeignKeyViolation = (error: unknown) => sqlStateOf(error) === '23503'

/** Whether a parameter has the right type but is a value that the database does not know, such as a time zone. */
export const isUnknownValue = (error: unknown) => sqlStateOf(error) === '22023'

const UNSTORABLE = new Set(['22021', '22P05', '22008']) // NUL in a text, NUL in JSON, a date outside the calendar

/** Whether a parameter has the right type but can't be stored. */
export const isUnstorable = (error: unknown) => UNSTORABLE.has(sqlStateOf(error) ?? '')

/** Whether the database refuses values: SQLSTATE classes 22 and 23. */
export const isRefusedValue = (error: unknown): error is Error => /^2[23]/.test(sqlStateOf(error) ?? '')

/** Whether the values caused the error: the database refuses them, or our code did. */
export const isAboutValues = (error: unknown) =>
  isRefusedValue(error) || [TypeError, RangeError, SyntaxError].some((kind) => error instanceof kind)

type RecipientQuota = 'quota_recipients_user' | 'quota_recipients_account'

/** The quota that a commit would have exceeded, or null. Raised by the trigger `jobs_quota`. */
export const quotaOf = (error: unknown): { code: RecipientQuota; limit: number } | null =>
  error instanceof pg.DatabaseError && error.code === 'SRQTA'
    ? { code: error.message as RecipientQuota, limit: Number(error.detail) } // the trigger raises only these
    : null

/** Whether a statement took longer than `statement_timeout`, or an operator cancelled it. */
export const isTimedOut = (error: unknown) => sqlStateOf(error) === '57014'

/** Whether a statement gave up waiting for a lock, after `lock_timeout`. */
export const isLockTimedOut = (error: unknown) => sqlStateOf(error) === '55P03'

/** Whether a statement gave up waiting for a lock, after `lock_timeout` or in a deadlock. */
export const isKeptFromLock = (error: unknown) => ['55P03', '40P01'].includes(sqlStateOf(error) ?? '')

/** Whether the server, or a pooler in front of it, has no connection left for us. */
export const isOutOfConnections = (error: unknown) =>
  sqlStateOf(error) === '53300' ||
  (error instanceof Error && /^no more connections allowed/.test(error.message))

/** Whether all connections of a pool were in use for too long. */
export const isPoolBusy = (error: unknown) =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

/** Thrown if the pool has been closed, or if no host accepts writes. The driver has no error for either. */
export class ConnectionError extends Error {
  readonly code = 'CONNECTION_UNAVAILABLE'
}

/** The network's errors, and the SQLSTATEs of a server that goes, comes, is full, or accepts no writes. */
const UNAVAILABLE = new Set([
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
  // Shut down, crashed, still starting, out of connections.
  ...['57P01', '57P02', '57P03', '53300'],
  // The session ended because it was idle: in a transaction, at all, or the transaction took too long.
  ...['25P03', '57P05', '25P04'],
  // A standby, or a primary that is read-only before or after a failover. We open no read-only transactions.
  '25006',
])

/** The driver's errors for a lost connection have no code. These are the messages in pg/lib/client.js and pg-pool. */
const LOST =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded|timeout expired|Query read timeout)/

/**
 * Whether the error means that the database is unavailable: it can't be reached, does not answer in time, or accepts no
 * writes. The same call may succeed in a moment. Anything else is a bug, of ours or in the configuration.
 */
export function isDatabaseDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (!('code' in error) || typeof error.code !== 'string') return LOST.test(error.message)
  // ENOENT means a missing socket only if it comes from connecting.
  if (error.code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect'
  return UNAVAILABLE.has(error.code) || error.code.startsWith('08')
}
