import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { type ClusterFiles, prepareSocketFolder } from './cluster-files.ts'
import { processOptions, run } from './system-user.ts'

/** An attempt to start PostgreSQL. */
export type Launch = { hasExited: () => boolean; output: () => string }

const LOG_BYTES = 1_000_000

/** Starts PostgreSQL without waiting for it. If it runs already, the new process exits with an error. */
export async function launch(files: ClusterFiles): Promise<Launch> {
  await prepareSocketFolder(files)
  const log = openSync(files.log, size(files.log) > LOG_BYTES ? 'w' : 'a', 0o600)
  const before = size(files.log)
  const output = () => readFileSync(files.log).subarray(before).toString()
  try {
    if (process.platform === 'win32') return await launchOnWindows(files, output)
    return launchAsChild(files, log, output)
  } finally {
    closeSync(log)
  }
}

/**
 * Starts PostgreSQL as our own child, not as pg_ctl's daemon. We reap our child when it is killed. A container's PID 1
 * may never reap a daemon, and the dead process would block the next start.
 */
function launchAsChild(files: ClusterFiles, log: number, output: () => string): Launch {
  const { user, binaries } = files
  const [file, ...args] = [...user.wrapper, binaries.postgres, ...serverArguments(files)] as [
    string,
    ...string[],
  ]
  // `detached` keeps Ctrl-C in our terminal from PostgreSQL: we stop the database last.
  const child = spawn(file, args, { ...processOptions(user), detached: true, stdio: ['ignore', log, log] })
  let problem: Error | undefined
  child.once('error', (error) => (problem = error))
  child.unref()
  return {
    hasExited: () => problem !== undefined || child.exitCode !== null || child.signalCode !== null,
    output: () => problem?.message ?? output(),
  }
}

/**
 * On Windows postgres.exe refuses administrator rights, and pg_ctl drops them. Written on Linux and never tried on
 * Windows.
 */
async function launchOnWindows(files: ClusterFiles, output: () => string): Promise<Launch> {
  const options = serverArguments(files)
    .slice(2)
    .map((argument) => `"${argument}"`)
  const args = ['start', '-W', '-D', files.folder, '-l', files.log, '-o', options.join(' ')]
  const failure = await run(files.user, files.binaries.pgCtl, args).then(() => '', String)
  return { hasExited: () => failure !== '', output: () => failure + output() }
}

function serverArguments({ folder, superuser }: ClusterFiles): string[] {
  const onWindows = process.platform === 'win32'
  const settings = {
    listen_addresses: onWindows ? superuser.host : '',
    port: String(superuser.port),
    unix_socket_directories: onWindows ? '' : superuser.host,
    unix_socket_permissions: '0700',
    max_connections: '200',
    // The system's cache of files stands in for more, as long as it has memory to spare.
    shared_buffers: '32MB',
    // Whatever stands in the folder's own files: what is committed stays committed.
    fsync: 'on',
    synchronous_commit: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Sendroom logs failed statements itself. PostgreSQL's log would repeat their text, which may hold user content.
    log_min_messages: 'log',
    log_checkpoints: 'off',
  }
  return ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/** Stops the cluster and waits for its end. Running statements are aborted. */
export async function shutDown({ user, binaries, folder }: ClusterFiles) {
  await run(user, binaries.pgCtl, ['stop', '--mode=fast', '--wait', '--timeout=60', '-D', folder])
}

const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
