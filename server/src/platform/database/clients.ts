import pg from 'pg'
import { ConnectionError } from './errors.ts'
import type { DatabaseServer } from './server.ts'

/** A busy pool has a free connection sooner or later. Longer than connecting may take, which has its own time-out. */
const POOL_TIMEOUT_MS = 10_000
const KEEP_IDLE_MS = 60_000
const END_TIMEOUT_MS = 10_000

/** The connections of a pool, and how many callers wait for a free one. */
export type PoolUsage = { open: number; inUse: number; waiting: number }

/** Manages the connections of a pool: which are in use, and how they end. */
export function openClients(server: DatabaseServer, max: number, waitMs = POOL_TIMEOUT_MS) {
  const { Client, identify, tryPlaces, availability } = server
  const pool = new pg.Pool({
    ...{ Client, max, onConnect: identify },
    ...{ idleTimeoutMillis: KEEP_IDLE_MS, connectionTimeoutMillis: waitMs },
  })
  // The pool replaces a lost idle connection when it needs one. Without a listener the event would end the process.
  pool.on('error', () => {})

  const inUse = new Set<pg.PoolClient>()
  let pending = 0
  let ending: Promise<void> | undefined
  let isCut = false
  let whenUnused = () => {}

  async function acquire(): Promise<pg.PoolClient> {
    if (ending) throw closed()
    pending++
    try {
      availability.start()
      await availability.refuseIfDown()
      const client = await tryPlaces(() => pool.connect())
      if (isCut) {
        client.release(true)
        throw closed()
      }
      // A lost connection rejects its queries and then emits an error event, which would end the process.
      client.on('error', ignore)
      inUse.add(client)
      return client
    } catch (error) {
      countDown()
      availability.suspect()
      throw error
    }
  }

  function release(client: pg.PoolClient, isUnusable = false) {
    inUse.delete(client)
    client.off('error', ignore)
    client.release(isUnusable)
    if (isUnusable) availability.suspect()
    countDown()
  }

  function countDown() {
    pending--
    if (pending === 0) whenUnused()
  }

  async function endAll(timeoutMs: number) {
    const timer = setTimeout(() => {
      isCut = true
      for (const client of inUse) client.connection.stream.destroy()
    }, timeoutMs)
    if (pending > 0) await new Promise<void>((resolve) => (whenUnused = resolve))
    clearTimeout(timer)
    await pool.end()
  }

  const usage = (): PoolUsage => ({
    open: pool.totalCount,
    inUse: inUse.size,
    waiting: pool.waitingCount,
  })

  return { acquire, release, usage, end: (timeoutMs = END_TIMEOUT_MS) => (ending ??= endAll(timeoutMs)) }
}

const closed = () => new ConnectionError('The connections to the database have been closed')

const ignore = () => {}
