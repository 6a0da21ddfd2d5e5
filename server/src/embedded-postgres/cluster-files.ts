import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { access, constants, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import type { DatabaseAddress } from '../database-url.ts'
import { StartupError } from '../startup-error.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { explain } from './explain.ts'
import { SUPERUSER } from './roles.ts'
import { chooseSystemUser, giveTo, run, type SystemUser } from './system-user.ts'

/** A PostgreSQL cluster on disk, with everything that is needed to run it. */
export type ClusterFiles = {
  folder: string
  log: string
  binaries: Binaries
  user: SystemUser
  superuser: DatabaseAddress
}

const onWindows = process.platform === 'win32'
/** The size of a path in `sockaddr_un`, without the terminating zero. */
const SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107

/** Whether the data folder has a cluster. */
export const hasCluster = (dataDir: string) => existsSync(join(resolve(dataDir), 'postgres', 'PG_VERSION'))

/** Finds the cluster in `dataDir`/postgres, or creates it. Throws a StartupError if the folder can't be used. */
export async function prepareFiles(dataDir: string): Promise<ClusterFiles> {
  const data = resolve(dataDir)
  const folder = join(data, 'postgres')
  await makeDataFolder(data)
  await refuseForeign(data, folder)
  const binaries = findBinaries()
  const user = chooseSystemUser(folder, binaries.folder)
  const login = onWindows
    ? await windowsLogin(data)
    : { host: socketFolder(folder), port: 5432, password: '' }
  if (!existsSync(join(folder, 'PG_VERSION'))) await createFiles(data, folder, binaries, user)
  const superuser = { ...login, user: SUPERUSER, database: 'sendroom' }
  return { folder, log: join(data, 'postgres.log'), binaries, user, superuser }
}

async function makeDataFolder(data: string) {
  try {
    await mkdir(data, { recursive: true })
    await access(data, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StartupError(explain(String(error), data) ?? `The data folder ${data} cannot be used: ${error}`)
  }
}

/** PostgreSQL must own its files, so an ordinary user can't run another user's cluster. */
async function refuseForeign(data: string, folder: string) {
  const me = process.getuid?.()
  if (!me || !existsSync(folder)) return
  const { uid } = await stat(folder)
  if (uid === me) return
  throw new StartupError(
    `The database in ${folder} belongs to the user with id ${uid}, but Sendroom runs as ${me}. Start Sendroom as that user, or change the owner with "chown -R ${me} ${data}".`,
  )
}

/**
 * Creates the cluster in a draft folder and renames that, so that no kill and no second start leaves half a cluster.
 */
async function createFiles(data: string, folder: string, binaries: Binaries, user: SystemUser) {
  const draft = await mkdtemp(join(data, 'postgres.new-'))
  try {
    giveTo(user, draft)
    // `trust` is safe: only the owner and root can enter the socket's folder. Windows listens on TCP and needs a
    // password.
    const auth = onWindows ? ['--auth=scram-sha-256', `--pwfile=${passwordFile(data)}`] : ['--auth=trust']
    const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--locale=C.UTF-8']
    // The libc part of the locale. Every system has C, but not every system has C.UTF-8.
    const libc = ['--lc-collate=C', '--lc-ctype=C', '--lc-messages=C']
    const args = [`--pgdata=${draft}`, `--username=${SUPERUSER}`, '--no-instructions']
    await run(user, binaries.initdb, [...args, ...locale, ...libc, ...auth])
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (existsSync(join(folder, 'PG_VERSION'))) return // a concurrent start was faster
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    throw new StartupError(
      explain(output, data) ?? `The database could not be created in ${data}: ${output.trim()}`,
    )
  }
}

/** Returns the folder of the socket: the cluster's own, or a short one if the socket's path would be too long. */
function socketFolder(folder: string): string {
  const path = join(folder, '.s.PGSQL.5432')
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES) return folder
  // Not os.tmpdir(): two Sendrooms with different values of TMPDIR must find the same socket, and TMPDIR may be long.
  return join('/tmp', `sendroom-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`)
}

/**
 * Creates the short folder of the socket. An existing one must belong to the cluster's owner and be closed to others:
 * anybody can create folders in /tmp, and would get our connections.
 */
export async function prepareSocketFolder({ folder, superuser, user }: ClusterFiles) {
  if (onWindows || superuser.host === folder) return
  await mkdir(superuser.host, { mode: 0o700 }).then(
    () => giveTo(user, superuser.host),
    () => {},
  )
  const { uid, mode } = await stat(superuser.host)
  if (uid === (await stat(folder)).uid && (mode & 0o077) === 0) return
  throw new StartupError(
    `The folder of the database's socket, ${superuser.host}, belongs to another user or is open to others. Remove the folder.`,
  )
}

const passwordFile = (data: string) => join(data, 'postgres-password')

/**
 * On Windows a folder can't protect a socket. PostgreSQL listens on loopback instead, with a password and on a free
 * port that stays the same. Written on Linux and never tried on Windows.
 */
async function windowsLogin(data: string) {
  const portFile = join(data, 'postgres-port')
  if (!existsSync(portFile)) {
    await writeFile(passwordFile(data), randomBytes(24).toString('base64url'), { mode: 0o600 })
    await writeFile(portFile, String(await freePort()))
  }
  const password = readFileSync(passwordFile(data), 'utf8')
  return { host: '127.0.0.1', port: Number(readFileSync(portFile, 'utf8')), password }
}

function freePort() {
  return new Promise<number>((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(address)))
    })
  })
}
