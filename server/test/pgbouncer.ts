import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseAddress } from '../src/database-url.ts'
import { until } from './until.ts'

// Debian keeps it out of an ordinary user's PATH.
const PATH = `${process.env.PATH}:/usr/sbin`

/** The version of the installed PgBouncer, such as "PgBouncer 1.18.0", or null. */
export function pgBouncerVersion(): string | null {
  try {
    return (
      execFileSync('pgbouncer', ['--version'], { encoding: 'utf8', env: { PATH } }).split('\n')[0] ?? null
    )
  } catch {
    return null
  }
}

/** Starts a PgBouncer in transaction mode before this database, with few connections of its own. */
export async function startPgBouncer({ host, port, user, database }: DatabaseAddress) {
  const folder = await mkdtemp(join(tmpdir(), 'sendroom-pgbouncer-'))
  await chmod(folder, 0o755)
  const ownPort = await freePort()
  const settings = join(folder, 'pgbouncer.ini')
  await writeFile(
    settings,
    `[databases]
${database} = host=${host} port=${port} user=${user} dbname=${database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
max_client_conn = 500
log_connections = 0
log_disconnections = 0
`,
  )
  // PgBouncer refuses to run as root. The owner of the socket's folder may enter it.
  const uid = process.getuid?.() === 0 ? statSync(host).uid : undefined
  const pooler = spawn('pgbouncer', [settings], { uid, env: { PATH }, stdio: 'ignore' })
  process.once('exit', () => pooler.kill('SIGKILL'))
  await until('PgBouncer listens', () => isOpen(ownPort))
  return {
    url: `postgres://${user}@127.0.0.1:${ownPort}/${database}`,
    async [Symbol.asyncDispose]() {
      pooler.kill('SIGKILL')
      await once(pooler, 'exit')
      await rm(folder, { recursive: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server has a port
  server.close()
  await once(server, 'close')
  return port
}

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
