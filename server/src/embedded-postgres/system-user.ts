import { execFile, execFileSync } from 'node:child_process'
import { chownSync, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { StartupError } from '../startup-error.ts'

/** The user that runs PostgreSQL's programs, because they refuse to run as root. */
export type SystemUser = {
  /** Set when the programs run under another user than this process. */
  ids?: { uid: number; gid: number }
  /** A command to put in front of the program. */
  wrapper: string[]
}

/**
 * Chooses the user for the cluster. An ordinary user runs it as itself. Root runs it as the folder's owner, or else
 * as `postgres`, or else as `nobody`. If that user can't enter the folders (a checkout in root's private home), the
 * programs run in a user namespace: as `nobody` inside, as root outside. Throws a StartupError if none of this works.
 */
export function chooseSystemUser(cluster: string, programs: string): SystemUser {
  if (process.getuid?.() !== 0) return { wrapper: [] } // also Windows, which has no getuid
  const owner = existsSync(cluster) ? statSync(cluster).uid : undefined
  if (owner === 0) return inNamespace() ?? refuseRootOwned(cluster)

  const user = owner ? lookUp(String(owner)) : firstOf([ownerOf(dirname(cluster)), 'postgres', 'nobody'])
  if (!user) {
    throw new StartupError(
      `PostgreSQL cannot run as root, and there is no other user to run it (${owner ? `${cluster} belongs to the user with id ${owner}, who has no entry in /etc/passwd` : 'neither "postgres" nor "nobody" exists'}). Start Sendroom as an ordinary user.`,
    )
  }
  const closed = [cluster, programs].map((path) => firstClosedFolder(dirname(path), user)).find(Boolean)
  if (!closed) return { ids: user, wrapper: [] }
  const namespace = owner ? undefined : inNamespace()
  if (namespace) return namespace
  throw new StartupError(
    `PostgreSQL cannot run as root, and the user ${user.name} has no access to ${closed}. Run "chmod o+x ${closed}", move Sendroom and DATA_DIR out of that folder, or start Sendroom as an ordinary user.`,
  )
}

/** Makes the user of the cluster the owner of the folder. */
export function giveTo({ ids }: SystemUser, folder: string) {
  if (ids) chownSync(folder, ids.uid, ids.gid)
}

/** Runs one of PostgreSQL's programs to its end. Rejects with an error that has the output in `stderr`. */
export function run(user: SystemUser, program: string, args: string[]) {
  const [file, ...rest] = [...user.wrapper, program, ...args] as [string, ...string[]]
  return promisify(execFile)(file, rest, processOptions(user))
}

const env = {
  ...{ LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin' },
  // By default glibc raises this limit after a large statement, and a connection then keeps up to 64 MB for good.
  MALLOC_TRIM_THRESHOLD_: '131072',
}

/** The options for all processes of PostgreSQL. Their messages are in English, and they get none of our environment. */
export const processOptions = ({ ids }: SystemUser) => ({
  ...ids,
  cwd: process.platform === 'win32' ? undefined : '/',
  env: process.platform === 'win32' ? undefined : env,
  windowsHide: true,
})

type Ids = { uid: number; gid: number; name: string }

const firstOf = (names: (string | undefined)[]) => names.flatMap((name) => (name && lookUp(name)) || []).at(0)

function ownerOf(folder: string): string | undefined {
  const { uid } = statSync(folder)
  return uid === 0 ? undefined : String(uid)
}

/** Finds a user by name or number. initdb needs a user with a line in /etc/passwd. */
function lookUp(nameOrUid: string): Ids | undefined {
  const id = (flag: string) =>
    execFileSync('id', [flag, nameOrUid], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    return { uid: Number(id('-u')), gid: Number(id('-g')), name: id('-un') }
  } catch {
    return undefined
  }
}

/** Returns the topmost folder of the path that the user may not enter. */
function firstClosedFolder(folder: string, user: Ids): string | undefined {
  const above = dirname(folder)
  const closedAbove = above === folder ? undefined : firstClosedFolder(above, user)
  if (closedAbove) return closedAbove
  const { mode, uid, gid } = statSync(folder)
  const executable = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
  return mode & executable ? undefined : folder
}

/** Needs util-linux and a kernel that allows user namespaces. Many containers do not allow them. */
function inNamespace(): SystemUser | undefined {
  const wrapper = ['unshare', '--user', '--map-user=65534', '--map-group=65534']
  try {
    execFileSync('unshare', [...wrapper.slice(1), 'true'], { stdio: 'ignore' })
    return { wrapper }
  } catch {
    return undefined
  }
}

function refuseRootOwned(cluster: string): never {
  throw new StartupError(
    `PostgreSQL cannot run as root, but ${cluster} belongs to root. Change the owner with "chown -R postgres ${cluster}".`,
  )
}
