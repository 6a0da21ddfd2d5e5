import { readdirSync, readlinkSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseAddress } from '../../src/database-url.ts'
import { giveTo, type SystemUser } from '../../src/embedded-postgres/system-user.ts'
import { DatabaseProxy } from '../database-proxy.ts'
import { freePort } from '../free-port.ts'
import { killIfAlive } from '../kill-postgres.ts'
import { until } from '../until.ts'
import { BINARIES, type Links, Tool } from './patroni-tools.ts'

/** A Patroni with its PostgreSQL. Everybody else reaches them, and they reach etcd, through proxies only. */
export class PatroniNode {
  readonly name: string
  readonly links: Links
  /** Past the proxy. */
  readonly address: DatabaseAddress
  readonly #folder: string
  readonly #user: SystemUser
  readonly #restPort: number
  #patroni: Tool | undefined

  private constructor(
    folder: string,
    { name, user, port, restPort }: { name: string; user: SystemUser; port: number; restPort: number },
    links: Links,
  ) {
    this.name = name
    this.links = links
    this.#folder = folder
    this.#user = user
    this.#restPort = restPort
    const host = join(folder, 'data') // where PostgreSQL has its socket
    this.address = { host, port, user: 'sendroom', password: '', database: 'postgres' }
  }

  static async create(
    parent: string,
    name: string,
    user: SystemUser,
    etcdPort: number,
  ): Promise<PatroniNode> {
    const folder = join(parent, name)
    await mkdir(folder)
    giveTo(user, folder)
    const [port, restPort] = [await freePort(), await freePort()]
    const host = '127.0.0.1'
    return new PatroniNode(
      folder,
      { name, user, port, restPort },
      {
        postgres: await DatabaseProxy.open({ host, port }),
        rest: await DatabaseProxy.open({ host, port: restPort }),
        etcd: await DatabaseProxy.open({ host, port: etcdPort }),
      },
    )
  }

  async start() {
    const file = join(this.#folder, 'patroni.yml')
    await writeFile(file, JSON.stringify(this.#configuration())) // YAML contains JSON
    this.#patroni = new Tool(BINARIES.patroni, [file], { user: this.#user, folder: this.#folder })
  }

  #configuration() {
    const { postgres, rest, etcd } = this.links
    const { port, host: data, user } = this.address
    return {
      scope: 'sendroom',
      name: this.name,
      restapi: { listen: `127.0.0.1:${this.#restPort}`, connect_address: `127.0.0.1:${rest.port}` },
      // Otherwise Patroni asks etcd for its address, and goes past the proxy.
      etcd3: { hosts: [`127.0.0.1:${etcd.port}`], use_proxies: true },
      bootstrap: {
        dcs: {
          // The shortest that Patroni allows.
          ...{ ttl: 20, loop_wait: 2, retry_timeout: 3 },
          // The JIT compiler takes 0.5 s and more for each of the engine's statements.
          postgresql: { use_pg_rewind: false, parameters: { max_connections: 200, jit: 'off' } },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'no-sync'],
        pg_hba: [
          'local all all trust',
          'host all all 127.0.0.1/32 trust',
          'host replication all 127.0.0.1/32 trust',
        ],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${postgres.port}`,
        bin_dir: BINARIES.postgres,
        data_dir: data,
        pgpass: join(this.#folder, 'pgpass'),
        parameters: { unix_socket_directories: data },
        authentication: {
          superuser: { username: user },
          // The proxy knows the standby by the name in its first packet, which TLS would hide.
          replication: { username: 'replicator', sslmode: 'disable', gssencmode: 'disable' },
        },
        basebackup: [{ checkpoint: 'fast' }],
      },
    }
  }

  /** Calls Patroni's REST API past the proxy. */
  async call(method: string, path: string, body: object): Promise<void> {
    const url = `http://127.0.0.1:${this.#restPort}${path}`
    const answer = await fetch(url, { method, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`Patroni refuses ${path}: ${await answer.text()}`)
  }

  /** Cuts Patroni and PostgreSQL off from everybody. */
  block() {
    for (const link of Object.values(this.links)) link.block()
  }

  unblock() {
    for (const link of Object.values(this.links)) link.unblock()
  }

  /** Kills Patroni first, or it would start PostgreSQL again. */
  async kill() {
    await this.#patroni?.kill()
    await until('PostgreSQL is dead', () => {
      const pids = this.#postgresPids()
      for (const pid of pids) killIfAlive(pid)
      return pids.length === 0
    })
  }

  /** All processes of a PostgreSQL work in its data folder. */
  #postgresPids(): number[] {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => {
        try {
          return readlinkSync(`/proc/${pid}/cwd`) === this.address.host
        } catch {
          return false // no process, or one that has ended
        }
      })
  }

  /** Becomes a standby with a new copy of the primary's files. */
  async rebuild() {
    await this.kill()
    await rm(this.address.host, { recursive: true })
    await this.start()
  }

  close() {
    for (const link of Object.values(this.links)) link.close()
  }
}
