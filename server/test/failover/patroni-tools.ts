import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { giveTo, processOptions, type SystemUser } from '../../src/embedded-postgres/system-user.ts'
import type { DatabaseProxy } from '../database-proxy.ts'
import { freePort } from '../free-port.ts'

/** The proxies that lead to a PostgreSQL, to the REST API of its Patroni, and from that to etcd. */
export type Links = Record<'postgres' | 'rest' | 'etcd', DatabaseProxy>

const HOST = '127.0.0.1'

/** Where Debian's packages put the programs. */
export const BINARIES = {
  patroni: '/usr/bin/patroni',
  etcd: '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  postgres: '/usr/lib/postgresql/15/bin',
}

/** Returns a sentence that says what to install, or null if nothing is missing. */
export function explainMissingTools(): string | null {
  const missing = Object.values(BINARIES).filter((file) => !existsSync(file))
  return missing.length === 0
    ? null
    : `--patroni needs ${missing.join(', ')}. Install Debian's packages: apt-get install patroni etcd-server haproxy postgresql-15`
}

/** A program of the distribution. Its output goes to a file, and it ends with this process. */
export class Tool {
  readonly #child: ChildProcess
  readonly #ended: Promise<void>

  constructor(program: string, args: string[], { user, folder }: { user: SystemUser; folder: string }) {
    const log = openSync(join(folder, `${basename(program)}.log`), 'a')
    const [file, ...rest] = [...user.wrapper, program, ...args] as [string, ...string[]]
    const child = spawn(file, rest, { ...processOptions(user), stdio: ['ignore', log, log] })
    this.#ended = new Promise((resolve) => child.once('close', () => resolve()))
    this.#child = child
    process.once('exit', () => child.kill('SIGKILL'))
  }

  async kill() {
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}

export async function startEtcd(folder: string, user: SystemUser) {
  const [port, peerPort] = [await freePort(), await freePort()]
  const data = join(folder, 'etcd')
  await mkdir(data)
  giveTo(user, data)
  const [client, peer] = [`http://${HOST}:${port}`, `http://${HOST}:${peerPort}`]
  const options = {
    ...{ name: 'etcd', 'data-dir': join(data, 'data') },
    ...{ 'listen-client-urls': client, 'advertise-client-urls': client },
    ...{ 'listen-peer-urls': peer, 'initial-advertise-peer-urls': peer, 'initial-cluster': `etcd=${peer}` },
  }
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  return { port, tool: new Tool(BINARIES.etcd, args, { user, folder: data }) }
}

/** The configuration is that of Patroni's example, /usr/share/doc/patroni/examples/haproxy.cfg. */
export async function startHaproxy(folder: string, user: SystemUser, nodes: Links[]) {
  const port = await freePort()
  const servers = nodes.map(
    ({ postgres, rest }, index) =>
      `  server ${index} ${HOST}:${postgres.port} maxconn 100 check port ${rest.port}`,
  )
  const configuration = `
defaults
  mode tcp
  retries 2
  timeout client 30m
  timeout connect 4s
  timeout server 30m
  timeout check 5s
listen primary
  bind ${HOST}:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 3s fall 3 rise 2 on-marked-down shutdown-sessions
${servers.join('\n')}
`
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, configuration)
  return { port, tool: new Tool(BINARIES.haproxy, ['-f', file], { user, folder }) }
}
