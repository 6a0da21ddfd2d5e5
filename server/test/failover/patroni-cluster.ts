import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { DatabaseAddress } from '../../src/database-url.ts'
import { chooseSystemUser } from '../../src/embedded-postgres/system-user.ts'
import { DatabaseProxy } from '../database-proxy.ts'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import { until } from '../until.ts'
import type { FailoverCluster, Fault } from './failover-cluster.ts'
import { PatroniNode } from './patroni-node.ts'
import { BINARIES, startEtcd, startHaproxy, type Tool } from './patroni-tools.ts'
import { dropRuns, queryAt, untilCaughtUp, untilFollowed } from './replication.ts'

/** How long the clients are still led to the demoted primary. */
const LATE_PROXY_MS = 10_000
const HOST = '127.0.0.1'

/**
 * Two PostgreSQLs with Patroni, etcd and HAProxy, all of them processes of the test's own. The time is real, because
 * Patroni's is.
 */
export class PatroniCluster implements FailoverCluster {
  readonly speed = 1
  readonly superuser: DatabaseAddress
  readonly #folder: string
  #primary: PatroniNode
  #standby: PatroniNode
  readonly #haproxy: { host: string; port: number }
  /** In front of HAProxy. */
  readonly #clients: DatabaseProxy
  readonly #tools: Tool[]

  private constructor(
    folder: string,
    [primary, standby]: [PatroniNode, PatroniNode],
    haproxy: { host: string; port: number },
    clients: DatabaseProxy,
    tools: Tool[],
  ) {
    this.#folder = folder
    this.#primary = primary
    this.#standby = standby
    this.#haproxy = haproxy
    this.#clients = clients
    this.#tools = tools
    const { host, port } = clients
    this.superuser = { ...primary.address, host, port }
  }

  static async open(): Promise<PatroniCluster> {
    const folder = await makeTemporaryFolder('patroni')
    const user = chooseSystemUser(join(folder, 'data'), BINARIES.postgres)
    const etcd = await startEtcd(folder, user)
    const primary = await PatroniNode.create(folder, 'a', user, etcd.port)
    const standby = await PatroniNode.create(folder, 'b', user, etcd.port)
    await primary.start()
    await untilPrimary(primary)
    await standby.start()
    const haproxy = await startHaproxy(folder, user, [primary.links, standby.links])
    const place = { host: HOST, port: haproxy.port }
    const clients = await DatabaseProxy.open(place)
    const cluster = new PatroniCluster(folder, [primary, standby], place, clients, [etcd.tool, haproxy.tool])
    await untilFollowed(primary.address, false)
    await until('HAProxy leads to the primary', () =>
      queryAt(cluster.superuser, 'select 1').catch(() => null),
    )
    return cluster
  }

  async prepare({ isSynchronous }: { isSynchronous: boolean }) {
    const [primary, standby] = [this.#primary, this.#standby]
    this.#clients.unblock()
    primary.unblock()
    standby.unblock()
    await primary.call('PATCH', '/config', { synchronous_mode: false })
    await dropRuns(primary.address)
    await standby.rebuild()
    await untilFollowed(primary.address, false)
    await primary.call('PATCH', '/config', { synchronous_mode: isSynchronous })
    await untilFollowed(primary.address, isSynchronous)
  }

  catchUp = () => untilCaughtUp(this.#primary.address)

  stallReplication = () => this.#primary.links.postgres.block(this.#standby.name)

  async failOver(fault: Fault): Promise<number> {
    await this.#lose(fault)
    ;[this.#primary, this.#standby] = [this.#standby, this.#primary]
    const promotedAt = await untilPrimary(this.#primary)
    if (fault === 'primary demoted') {
      await delay(LATE_PROXY_MS)
      this.#clients.pointTo(this.#haproxy)
      // The workers must find out for themselves that their old connections lead to a demoted primary. The suite must
      // not read the past.
      this.#clients.cut('chaos run')
    }
    this.#clients.unblock()
    return promotedAt
  }

  async #lose(fault: Fault) {
    const primary = this.#primary
    switch (fault) {
      case 'primary killed':
        return primary.kill()
      case 'switchover':
        // Shutting down waits until the standby has everything.
        primary.links.postgres.unblock()
        return primary.call('POST', '/switchover', { leader: primary.name, candidate: this.#standby.name })
      case 'primary partitioned':
        return primary.block()
      case 'worker partitioned':
        this.#clients.block('worker 0')
        return primary.kill()
      case 'primary demoted':
        // Without etcd, Patroni makes its PostgreSQL read-only before the other may be promoted.
        this.#clients.pointTo({ host: HOST, port: primary.address.port })
        this.#clients.cut()
        return primary.links.etcd.block()
    }
  }

  async stop() {
    this.#clients.close()
    for (const node of [this.#primary, this.#standby]) {
      await node.kill()
      node.close()
    }
    for (const tool of this.#tools) await tool.kill()
    await rm(this.#folder, { recursive: true })
  }
}

/** Returns when the node accepted writes for the first time. */
const untilPrimary = (node: PatroniNode): Promise<number> =>
  until(
    `${node.name} is the primary`,
    async () => {
      const found = await queryAt(node.address, 'select where not pg_is_in_recovery()').catch(() => [])
      return found.length > 0 && Date.now()
    },
    120_000,
  )
