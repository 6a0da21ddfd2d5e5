import pg from 'pg'
import type { DatabaseTarget } from '../../database-url.ts'
import { type AvailabilityLog, watchAvailability } from './availability.ts'
import { ConnectionError, isDatabaseDown, isOutOfConnections, isPoolBusy } from './errors.ts'
import { openListener } from './listener.ts'
import { types } from './rows.ts'

const CONNECT_TIMEOUT_MS = 5_000
const KEEP_ALIVE_MS = 10_000
/** A pooler may let a query wait for a connection. Longer than any wait on a server that only has much to do. */
const IDENTIFY_TIMEOUT_MS = 10_000

export type DatabaseServer = ReturnType<typeof openServer>

/**
 * The server that all connections of a process go to. It is the first of the target's places that accepts writes. When
 * it is lost, or another one has taken its place, all connections to it are cut, even those in use: a query there would
 * hang, or answer with what was true before the failover.
 */
export function openServer(
  target: DatabaseTarget,
  applicationName: string,
  { log = silent, pipeline = true }: { log?: AvailabilityLog | undefined; pipeline?: boolean } = {},
) {
  const { places, user, password, database } = target
  let current = 0
  const options = {
    ...{ user, password, database, types, pipeline, application_name: applicationName },
    ...{ connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true },
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  }
  const optionsAtPlace = () => ({ ...options, ...places[current] })
  /** The open connections, each with what identifies its server: the time when that was started. */
  const connections = new Map<pg.ClientBase, string>()

  class Client extends pg.Client {
    constructor() {
      super(optionsAtPlace())
    }
  }

  /** Refuses a server that accepts no writes, such as a standby. */
  async function identify(client: pg.ClientBase) {
    const { rows } = await client.query({
      text: `select current_setting('transaction_read_only') = 'on' as is_read_only,
        extract(epoch from pg_postmaster_start_time())::text as started_at`,
      query_timeout: IDENTIFY_TIMEOUT_MS,
    } as pg.QueryConfig) // the types do not know the time-out
    const { host, port } = places[current] ?? {}
    if (rows[0]?.is_read_only) throw new ConnectionError(`The database at ${host}:${port} accepts no writes`)
    connections.set(client, rows[0]?.started_at)
    client.once('end', () => connections.delete(client))
  }

  /** Connects to the places in turn, starting with the one that worked last. */
  async function tryPlaces<C>(connectOnce: () => Promise<C>): Promise<C> {
    for (let tries = 1; ; tries++) {
      const tried = current
      try {
        return await connectOnce()
      } catch (error) {
        if (isPoolBusy(error)) throw error
        // A concurrent attempt may have moved on to the next place meanwhile.
        if (current === tried) current = (current + 1) % places.length
        // If a server refuses the user or the database, the other servers would refuse them too.
        const isRefused = error instanceof pg.DatabaseError && !isDatabaseDown(error)
        if (isRefused || tries >= places.length) throw error
      }
    }
  }

  /** Opens a connection beside the pools. The caller closes it. */
  const connectClient = () =>
    tryPlaces(async () => {
      const client = new Client()
      client.on('error', () => {})
      try {
        await client.connect()
        await identify(client)
        return client
      } catch (error) {
        client.connection.stream.destroy()
        throw error
      }
    })

  function cutAllExcept(startedAt: string | undefined) {
    for (const [client, server] of connections)
      if (server !== startedAt && client instanceof Client) client.connection.stream.destroy()
  }

  async function check() {
    try {
      const client = await connectClient()
      cutAllExcept(connections.get(client))
      // Not awaited: on a network that swallows everything it would not end.
      client.end().catch(() => {})
    } catch (error) {
      // A server without a free connection is up, and the connections that we have go on.
      if (isOutOfConnections(error) && connections.size > 0) return
      cutAllExcept(undefined)
      throw error
    }
  }

  const availability = watchAvailability({ check, log })
  const listener = openListener(() => {
    availability.start()
    return connectClient()
  })
  return {
    ...{ target, Client, identify, tryPlaces, connectClient, availability },
    listen: listener.listen,
    checkAvailable: availability.check,
    async close() {
      availability.stop()
      await listener.close()
    },
  }
}

const silent: AvailabilityLog = { info() {}, warn() {} }
