import pg from 'pg'
import type { DatabaseTarget } from '../../database-url.ts'
import { ConnectionError, isDatabaseDown } from './errors.ts'
import { openListener } from './listener.ts'
import { types } from './rows.ts'

const CONNECT_TIMEOUT_MS = 5_000
const KEEP_IDLE_MS = 60_000
const KEEP_ALIVE_MS = 10_000
const END_TIMEOUT_MS = 10_000

/** Manages the connections of a pool: which server they go to, which are in use, and how they end. */
export function openClients(
  target: DatabaseTarget,
  max: number,
  applicationName: string,
  { pipeline = true } = {},
) {
  const { places, user, password, database, needsWrites } = target
  let current = 0
  const options = {
    ...{ user, password, database, types, pipeline, application_name: applicationName },
    ...{ connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true },
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  }
  const optionsAtPlace = () => ({ ...options, ...places[current] })

  class Client extends pg.Client {
    constructor() {
      super(optionsAtPlace())
    }
  }

  async function refuseReadOnly(client: pg.ClientBase) {
    if (!needsWrites) return
    const { rows } = await client.query('show transaction_read_only')
    if (rows[0]?.transaction_read_only !== 'on') return
    const { host, port } = places[current] ?? {}
    throw new ConnectionError(`The database at ${host}:${port} accepts no writes`)
  }

  const pool = new pg.Pool({ Client, max, idleTimeoutMillis: KEEP_IDLE_MS, onConnect: refuseReadOnly })
  // The pool replaces a lost idle connection when it needs one. Without a listener the event would end the process.
  pool.on('error', () => {})

  /** Connects to the places in turn, starting with the one that worked last. */
  async function tryPlaces<C>(connectOnce: () => Promise<C>): Promise<C> {
    for (let tries = 1; ; tries++) {
      const tried = current
      try {
        return await connectOnce()
      } catch (error) {
        // A concurrent attempt may have moved on to the next place meanwhile.
        if (current === tried) current = (current + 1) % places.length
        // If a server refuses the user or the database, the other servers would refuse them too.
        const isRefused = error instanceof pg.DatabaseError && !isDatabaseDown(error)
        if (isRefused || tries >= places.length) throw error
      }
    }
  }

  const inUse = new Set<pg.PoolClient>()
  let pending = 0
  let ending: Promise<void> | undefined
  let isCut = false
  let whenUnused = () => {}

  async function acquire(): Promise<pg.PoolClient> {
    if (ending) throw closed()
    pending++
    try {
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
      throw error
    }
  }

  function release(client: pg.PoolClient, isUnusable = false) {
    inUse.delete(client)
    client.off('error', ignore)
    client.release(isUnusable)
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
    await listener.close()
    if (pending > 0) await new Promise<void>((resolve) => (whenUnused = resolve))
    clearTimeout(timer)
    await pool.end()
  }

  const listener = openListener(() =>
    tryPlaces(async () => {
      const client = new Client()
      client.on('error', ignore)
      try {
        await client.connect()
        await refuseReadOnly(client)
        return client
      } catch (error) {
        client.end().catch(ignore)
        throw error
      }
    }),
  )

  return {
    acquire,
    release,
    listen: listener.listen,
    end: (timeoutMs = END_TIMEOUT_MS) => (ending ??= endAll(timeoutMs)),
  }
}

const closed = () => new ConnectionError('The connections to the database have been closed')

const ignore = () => {}
