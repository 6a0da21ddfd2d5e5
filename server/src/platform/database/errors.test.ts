import pg from 'pg'
import { expect, test } from 'vitest'
import { ConnectionError, isDatabaseDown } from './errors.ts'

const sqlError = (code: string) => Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code })
const systemError = (code: string, syscall: string) =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall })

test.each([
  ['shut down by an operator', sqlError('57P01')],
  ['crashed', sqlError('57P02')],
  ['still starting', sqlError('57P03')],
  ['out of connections', sqlError('53300')],
  ['a standby or read-only', sqlError('25006')],
  ['ended an idle session', sqlError('57P05')],
  ['ended an idle transaction', sqlError('25P03')],
  ['lost the connection', sqlError('08006')],
  ['behind a pooler that waits in vain', sqlError('08P01')],
  ['refuses connections', systemError('ECONNREFUSED', 'connect')],
  ['resets the connection', systemError('ECONNRESET', 'read')],
  ['has no socket', systemError('ENOENT', 'connect')],
  ['has no name', systemError('ENOTFOUND', 'getaddrinfo')],
  ['cut the connection', new Error('Connection terminated unexpectedly')],
  ['does not accept in time', new Error('timeout expired')],
  ['does not answer in time', new Error('Query read timeout')],
  ['has no connection left in our pool', new Error('timeout exceeded when trying to connect')],
  ['has been closed by us', new ConnectionError('closed')],
])('a database that is %s counts as unavailable', (_, error) => {
  expect(isDatabaseDown(error)).toBe(true)
})

test.each([
  ['a missing table', sqlError('42P01')],
  ['a unique violation', sqlError('23505')],
  ['a deadlock', sqlError('40P01')],
  ['a statement that took too long', sqlError('57014')],
  ['a full disk', sqlError('53100')],
  ['a wrong password', sqlError('28P01')],
  ['a missing file', systemError('ENOENT', 'open')],
  ['a mistake of ours', new TypeError('x is not a function')],
  ['nothing', undefined],
])('%s does not', (_, error) => {
  expect(isDatabaseDown(error)).toBe(false)
})
