import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { DatabaseAddress } from '../../src/database-url.ts'
import { DatabaseProxy } from '../database-proxy.ts'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import type { FailoverCluster, Fault } from './failover-cluster.ts'
import { PostgresNode } from './postgres-node.ts'
import { dropRuns, untilCaughtUp, untilFollowed } from './replication.ts'

/** In real time. The engine's time runs ten times as fast, so a lease of 20 s ends within the partition of a worker. */
const PARTITION_MS = 1_000
const WORKER_PARTITION_MS = 3_000
/** How long the clients are still led to the demoted primary. */
const LATE_PROXY_MS = 1_000

/**
 * The short form: two embedded PostgreSQLs, and two proxies that lead to the primary of the moment. One proxy is for
 * the clients, the other for the standby. After a failover the old primary becomes a copy of the new one.
 */
export class StandbyPair implements FailoverCluster {
  readonly speed = 10
  readonly superuser: DatabaseAddress
  readonly #folder: string
  #primary: PostgresNode
  #standby: PostgresNode
  readonly #clients: DatabaseProxy
  readonly #replication: DatabaseProxy

  private constructor(
    folder: string,
    nodes: [PostgresNode, PostgresNode],
    proxies: [DatabaseProxy, DatabaseProxy],
  ) {
    this.#folder = folder
    ;[this.#primary, this.#standby] = nodes
    ;[this.#clients, this.#replication] = proxies
    const { host, port } = this.#clients
    this.superuser = { ...this.#primary.address, host, port }
  }

  static async open(): Promise<StandbyPair> {
    const folder = await makeTemporaryFolder('failover')
    const primary = await PostgresNode.create(join(folder, 'a'))
    const standby = await PostgresNode.create(join(folder, 'b'))
    await primary.start()
    const proxies = [
      await DatabaseProxy.open(primary.address),
      await DatabaseProxy.open(primary.address),
    ] as const
    const [, { host, port }] = proxies
    const upstream = `host=${host} port=${port} user=${primary.address.user} sslmode=disable gssencmode=disable`
    // A primary ignores this setting. So both nodes have it, whichever is copied.
    await primary.query(`alter system set primary_conninfo = '${upstream}'`)
    await primary.query("alter system set wal_retrieve_retry_interval = '100ms'")
    return new StandbyPair(folder, [primary, standby], [...proxies])
  }

  async prepare({ isSynchronous }: { isSynchronous: boolean }) {
    const [primary, standby] = [this.#primary, this.#standby]
    this.#clients.unblock()
    this.#replication.unblock()
    if (standby.isRunning) await standby.stop()
    await primary.query('alter system reset synchronous_standby_names')
    await primary.query('select pg_reload_conf()')
    await dropRuns(primary.address)
    await primary.stop()
    await standby.copyFrom(primary)
    await primary.start()
    await standby.startAsStandby()
    if (isSynchronous) await primary.query("alter system set synchronous_standby_names = '*'")
    await primary.query('select pg_reload_conf()')
    await untilFollowed(primary.address, isSynchronous)
  }

  catchUp = () => untilCaughtUp(this.#primary.address)

  stallReplication = () => this.#replication.block()

  async failOver(fault: Fault): Promise<number> {
    await this.#lose(fault)
    const promotedAt = await this.#promote()
    if (fault === 'primary demoted') await delay(LATE_PROXY_MS)
    this.#clients.pointTo(this.#primary.address)
    // The workers must find out for themselves that their old connections lead to a demoted primary. The suite must not
    // read the past.
    this.#clients.cut('chaos run')
    // HAProxy does so with `on-marked-down shutdown-sessions`.
    if (fault === 'primary partitioned') this.#clients.cut()
    if (fault === 'worker partitioned') await delay(WORKER_PARTITION_MS)
    this.#clients.unblock()
    return promotedAt
  }

  async #lose(fault: Fault) {
    switch (fault) {
      case 'primary killed':
        return this.#primary.kill()
      case 'primary demoted':
        await this.#primary.kill()
        // Before the promotion: on a busy machine a start takes seconds, in which nobody could reach the new primary.
        return this.#primary.startAsStandby()
      case 'switchover':
        // Shutting down waits until the standby has everything.
        this.#replication.unblock()
        return this.#primary.stop()
      case 'primary partitioned':
        this.#replication.block()
        this.#clients.block()
        return delay(PARTITION_MS)
      case 'worker partitioned':
        this.#clients.block('worker 0')
        await delay(PARTITION_MS)
        return this.#primary.kill()
    }
  }

  async #promote(): Promise<number> {
    await this.#standby.promote()
    ;[this.#primary, this.#standby] = [this.#standby, this.#primary]
    this.#replication.pointTo(this.#primary.address)
    this.#replication.cut()
    return Date.now()
  }

  async stop() {
    this.#clients.close()
    this.#replication.close()
    for (const node of [this.#primary, this.#standby]) if (node.isRunning) await node.stop()
    await rm(this.#folder, { recursive: true })
  }
}
