import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { access, constants, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import type { DatabaseAddress } from '../../database-url.ts'
import { StartupError } from '../../startup-error.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { explain } from './explain.ts'
import { chooseSystemUser, giveTo, run, type SystemUser } from './system-user.ts'

/** A cluster on disk, and what it takes to run it. */
export type ClusterFiles = {
  folder: string
  log: string
  binaries: Binaries
  user: SystemUser
  address: DatabaseAddress
}

const onWindows = process.platform === 'win32'
/** What `sockaddr_un` has room for, less the ending zero. */
const SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107

/** Finds the cluster in `dataDir`/postgres, or makes it. */
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
  const address = { ...login, user: 'sendroom', database: 'sendroom' }
  return { folder, log: join(data, 'postgres.log'), binaries, user, address }
}

async function makeDataFolder(data: string) {
  try {
    await mkdir(data, { recursive: true })
    await access(data, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StartupError(explain(String(error), data) ?? `The data folder ${data} can't be used: ${error}`)
  }
}

/** An ordinary user can't run another user's cluster: PostgreSQL wants to own its files. */
async function refuseForeign(data: string, folder: string) {
  const me = process.getuid?.()
  if (!me || !existsSync(folder)) return
  const { uid } = await stat(folder)
  if (uid === me) return
  throw new StartupError(
    `The database in ${folder} belongs to the user with id ${uid}, and this runs as ${me}: start Sendroom as that user, or give all of it to this one with "chown -R ${me} ${data}".`,
  )
}

/** Made beside its place and moved there whole, so that neither a kill nor a second start leaves half a cluster. */
async function createFiles(data: string, folder: string, binaries: Binaries, user: SystemUser) {
  const draft = await mkdtemp(join(data, 'postgres.new-'))
  try {
    giveTo(user, draft)
    // Trust, because only the owner and root can enter the folder of the socket; Windows listens on TCP instead.
    const auth = onWindows ? ['--auth=scram-sha-256', `--pwfile=${passwordFile(data)}`] : ['--auth=trust']
    const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--locale=C.UTF-8']
    // The libc side of the locale: C is there on every system, C.UTF-8 is not.
    const libc = ['--lc-collate=C', '--lc-ctype=C', '--lc-messages=C']
    const args = [`--pgdata=${draft}`, '--username=sendroom', '--no-instructions']
    await run(user, binaries.initdb, [...args, ...locale, ...libc, ...auth])
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (existsSync(join(folder, 'PG_VERSION'))) return // another start was faster
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    throw new StartupError(
      explain(output, data) ?? `The database could not be created in ${data}: ${output.trim()}`,
    )
  }
}

/** The cluster's own folder, which only its owner can enter, or a short one where the path would be too long. */
function socketFolder(folder: string): string {
  const path = join(folder, '.s.PGSQL.5432')
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES) return folder
  // Not os.tmpdir(): TMPDIR may differ between two Sendrooms that have to meet here, and may itself be long.
  return join('/tmp', `sendroom-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`)
}

/** Makes the short folder of the socket, and trusts one that is there only if nobody else can have made it. */
export async function prepareSocketFolder({ folder, address, user }: ClusterFiles) {
  if (onWindows || address.host === folder) return
  await mkdir(address.host, { mode: 0o700 }).then(
    () => giveTo(user, address.host),
    () => {},
  )
  const { uid, mode } = await stat(address.host)
  if (uid === (await stat(folder)).uid && (mode & 0o077) === 0) return
  throw new StartupError(
    `The database keeps its socket in ${address.host}, and that folder belongs to somebody else or is open to others: remove it.`,
  )
}

const passwordFile = (data: string) => join(data, 'postgres-password')

/** Windows (not tried: written on Linux) has no folder that guards a socket: loopback, a fixed free port, a password. */
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
