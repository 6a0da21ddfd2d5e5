import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from, to } from 'pg-copy-streams'
import type { DatabaseTarget } from '../../database-url.ts'
import { type Db, queriesOn, type Tx } from './connection.ts'
import { openServer } from './server.ts'
import type { Sql } from './sql.ts'

/** A connection that can also COPY, in a single long transaction. */
export type CopyConnection = Db & {
  /** Begins the transaction, with modes such as `read only`. It lasts until `commit`. */
  begin: (modes?: string) => Promise<Tx>
  commit: () => Promise<void>
  /** Runs `copy … to stdout` and returns its text. Each row ends with a line feed, and contains no other. */
  copyOut: (statement: Sql) => AsyncIterable<Buffer>
  /** Runs `copy … from stdin` with this text. */
  copyIn: (statement: Sql, text: Buffer) => Promise<void>
  /** Closes the connection, also in the middle of a statement. What was not committed has not happened. */
  close: () => Promise<void>
}

/** Values are written in one way everywhere, and no part of the transaction takes too long. */
const SETTINGS = `
  set local timezone = 'UTC';
  set local datestyle = 'ISO, MDY';
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local plan_cache_mode = auto;`

/** Opens a connection without pipelining, which streams do not allow. */
export async function connectForCopy(target: DatabaseTarget): Promise<CopyConnection> {
  const client = await openServer(target, 'sendroom backup', { pipeline: false }).connectClient()
  const queries = queriesOn(client)
  return {
    ...queries,
    begin: async (modes = '') => {
      await client.query(`begin ${modes}; ${SETTINGS}`)
      return { ...queries, isTransaction: true }
    },
    commit: async () => void (await client.query('commit')),
    copyOut: ({ text }) => client.query(to(text)),
    copyIn: ({ text }, bytes) => pipeline(Readable.from([bytes]), client.query(from(text))),
    close: () => client.end(),
  }
}
