import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../startup-error.ts'
import { isDatabaseDown, type Sql } from './connection.ts'

const PATIENCE_MS = 10_000

/** Waits until the server of DATABASE_URL answers; one that may just be starting beside us gets 10 s. */
export async function reachDatabase(sql: Sql, patienceMs = PATIENCE_MS): Promise<void> {
  const begin = performance.now()
  for (;;) {
    try {
      await sql`select 1`
      return
    } catch (error) {
      if (isDatabaseDown(error) && performance.now() - begin < patienceMs) await delay(200)
      else throw new StartupError(sentence(sql, error))
    }
  }
}

/** Names the place but never the whole URL, which holds the password. */
function sentence({ options }: Sql, error: unknown): string {
  const place = `${options.host[0]}:${options.port[0]}`
  const reason =
    error instanceof Error ? error.message || String('code' in error && error.code) : String(error)
  if (isDatabaseDown(error)) {
    return `The database of DATABASE_URL can't be reached at ${place} (${reason}): check the address, and that it runs.`
  }
  return `The database of DATABASE_URL at ${place} refuses us (${reason}): check the user, the password and the database's name.`
}
