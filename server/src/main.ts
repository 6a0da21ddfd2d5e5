import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import type { Deps } from './app.ts'
import { UsageError } from './commands/command-line.ts'
import { type Config, loadConfig } from './config.ts'
import { plainHosts } from './database-url.ts'
import { explainFile } from './embedded-postgres/explain.ts'
import { ensureFirstAdmin, forgetFirstAdmin, unreadPassword } from './features/session/first-admin.ts'
import { isExposed, urlsOf } from './listening.ts'
import { openDatabase } from './open-database.ts'
import { mediaOpener } from './open-media.ts'
import { LOCKS } from './platform/database/advisory-lock.ts'
import { isDatabaseDown } from './platform/database/errors.ts'
import { lockForProcess } from './platform/database/process-lock.ts'
import { hasFiles } from './platform/files/queries.ts'
import { openFiles } from './platform/files/store.ts'
import { hasImages } from './platform/images/queries.ts'
import { openImages } from './platform/images/store.ts'
import { requireAllowedHosts } from './platform/outgoing-hosts.ts'
import { openSecrets } from './platform/secrets.ts'
import { type Close, close, type Opened, stopOnSignal } from './shutdown.ts'
import { StartupError } from './startup-error.ts'

const USAGE = `Usage: npm start [-- COMMAND]

Without a command, npm start runs the web app, the API and delivery in one process.

Commands:
  server                     run only the web app and the API
  worker                     run only delivery
  user add NAME              add a user and print the password
  user list                  list all users
  user reset-password NAME   set a new password for a user and print it
  user reset-factor NAME     remove a user's second factor, for a lost phone
  user unlock NAME           let a locked user sign in again
  backup FILE [--with-key]   write everything into a new file, also while Sendroom runs; the encryption key on request
  restore FILE [--unsigned]  fill an empty data folder or DATABASE_URL from a backup
  rotate-key                 encrypt everything with a new SECRET_KEY, also while Sendroom runs
  doctor                     find out what is wrong, and what to do
  --help                     print this text; after a command, more about that one

All but server and worker print JSON with --json. They end with 0 when done, 1 when they fail and 2 when called wrongly.
README.md lists the environment variables.`

const COMMANDS = ['user', 'backup', 'restore', 'doctor', 'rotate-key']

const unknownCommand = (args: string[]) =>
  new UsageError(`Unknown command: ${args.join(' ')}. npm start -- --help lists the commands.`)

type Roles = { serves: boolean; delivers: boolean }

async function main(args: string[]) {
  const [role = 'all', ...rest] = args
  if (role === '--help' || role === '-h') return say(USAGE)
  if (COMMANDS.includes(role)) {
    const { runNamed } = await import('./commands/index.ts')
    process.exitCode = await runNamed(role, rest)
    return
  }
  if (!['all', 'server', 'worker'].includes(role) || rest.length > 0) throw unknownCommand(args)
  const config = loadConfig()
  // Logs go to stderr. Stdout is for the person who starts the program.
  const log = pino({ level: config.logLevel }, pino.destination(2))
  const opened: Opened = []
  stopOnSignal(opened, log)
  try {
    await start(config, log, { serves: role !== 'worker', delivers: role !== 'server' }, opened)
  } catch (error) {
    await close(opened, log)
    throw explainFile(error, config.dataDir)
  }
}

async function start(config: Config, log: Deps['log'], roles: Roles, opened: Opened) {
  requireAllowedHosts(config)
  const plain = plainHosts(config.database, config.directDatabase)
  if (plain.length > 0) process.stderr.write(`${plainDatabase(plain)}\n`)
  const database = await openDatabase(config, log, roleOf(roles))
  opened.push([database.close])
  const { db } = database
  if (roles.serves && roles.delivers) opened.push([await lockDataDir(db, config)])
  const secrets = await openSecrets(db, config)
  const metrics = await startMetrics(config, db, roles, opened)
  const firstAdmin = roles.serves ? await ensureFirstAdmin(db, config) : null

  const { openProviders } = await import('./providers/providers.ts')
  const providers = await openProviders({
    whapiBaseUrl: config.whapiBaseUrl,
    whapiPartnerToken: config.whapiPartnerToken,
    testProviderUrl: config.testProviderUrl ?? null,
    dataDir: config.dataDir,
    testMode: config.testMode,
    withTestMode: roles.serves && roles.delivers,
  })
  opened.push([providers.close])

  const images = openImages(config)
  // Without its images Sendroom still sends text.
  await images
    .prepare(await hasImages(db))
    .catch((error) => log.error({ err: error }, 'Images are unavailable'))
  const files = openFiles(config)
  await files.prepare(await hasFiles(db)).catch((error) => log.error({ err: error }, 'Files are unavailable'))

  let ownAddress: string | null = null
  const deps = {
    db,
    config,
    secrets,
    images,
    files,
    providers,
    // The simulator runs on this machine. The real provider calls us from outside.
    webhookBase: ({ isTest }: { isTest: boolean }) => (isTest ? ownAddress : (config.publicUrl ?? null)),
    log,
    metrics,
  }
  const app = roles.serves ? await serve(deps, firstAdmin) : null
  if (app) {
    ownAddress = urlsOf(boundOf(app))[0] ?? null
    opened.push([renewWebhooksInBackground(deps)])
  }
  const stopsOfWork = await startWork(deps, roles)
  // Closed first, and together: while the server still answers and load balancers learn that it leaves, nothing is
  // sent.
  opened.push([...stopsOfWork, ...(app ? [() => app.close()] : [])])
}

/** Two simulators on one folder would contradict each other about test-mode instances. */
async function lockDataDir(db: Deps['db'], { dataDir }: Config) {
  const release = await lockForProcess(db, LOCKS.process(hostname(), dataDir))
  if (release) return release
  throw new StartupError(
    `Another Sendroom runs on the data folder ${dataDir}: stop that one, or set DATA_DIR to another folder.`,
  )
}

/** Counts what this process does, if METRICS_TOKEN is set. Without the web app the metrics have a port of their own. */
async function startMetrics(config: Config, db: Deps['db'], roles: Roles, opened: Opened) {
  const { metricsToken: token, metricsPort: port, host } = config
  if (!token) return null
  const [{ openMetrics }, { serveMetrics }] = await Promise.all([
    import('./features/system/metrics.ts'),
    import('./features/system/metrics-server.ts'),
  ])
  const metrics = await openMetrics({ db, token, role: roleOf(roles) })
  if (roles.serves || port === undefined) return metrics
  const close = await serveMetrics(metrics, { host, port }).catch((error) => {
    throw new StartupError(explainListen(error, { host, port }, 'METRICS_PORT'))
  })
  opened.push([close])
  return metrics
}

function roleOf({ serves, delivers }: Roles) {
  if (serves && delivers) return 'all'
  return serves ? 'server' : 'worker'
}

type FirstAdmin = Awaited<ReturnType<typeof ensureFirstAdmin>>

async function serve(deps: Deps, firstAdmin: FirstAdmin) {
  const { config } = deps
  const { buildApp } = await import('./app.ts')
  const app = await buildApp({ ...deps, onAdminSignIn: () => forgetFirstAdmin(config.dataDir) })
  await app.listen({ port: config.port, host: config.host }).catch((error) => {
    throw new StartupError(explainListen(error, config, 'PORT'))
  })
  const bound = boundOf(app)
  const unread = unreadPassword(config.dataDir)
  for (const url of config.publicUrl ? [config.publicUrl] : urlsOf(bound))
    say(`Sendroom is running at ${url}`)
  if (isExposed(bound) && !hasProxy(config)) process.stderr.write(`${PLAIN_HTTP}\n`)
  if (firstAdmin)
    say(`Sign in as ${firstAdmin.username} with the password ${firstAdmin.password} (shown only once).`)
  else if (unread) say(`No Admin has signed in yet. The password is in ${unread}.`)
  return app
}

/** Whether the operator has said that a proxy with HTTPS stands before Sendroom. */
const hasProxy = ({ publicUrl, trustProxy }: Config) =>
  publicUrl?.startsWith('https:') || trustProxy.some((place) => place !== 'loopback')

/** The address of a server with a port. A server on a socket file has a text instead. */
const boundOf = (app: FastifyInstance) => app.server.address() as AddressInfo

const PLAIN_HTTP =
  'Other machines reach Sendroom without encryption. Put a proxy with HTTPS before it, then set PUBLIC_URL to its address: docs/admins/guide.md says how.'

const plainDatabase = (hosts: string[]) =>
  `Texts and numbers may travel to the database at ${hosts.join(', ')} without encryption. Add sslmode=verify-full to DATABASE_URL.`

/** Sets the webhooks without delaying the start. Returns a function that stops this and waits for its end. */
function renewWebhooksInBackground(deps: Deps) {
  const stopping = new AbortController()
  const renewing = import('./features/instances/webhook.ts')
    .then(({ renewWebhooks }) => renewWebhooks(deps, stopping.signal))
    .catch((error) => {
      // A worker retries within minutes.
      if (!isDatabaseDown(error)) deps.log.error({ err: error }, 'Could not set the webhooks')
    })
  return () => {
    stopping.abort()
    return renewing
  }
}

function explainListen(
  error: NodeJS.ErrnoException,
  { port, host }: Pick<Config, 'port' | 'host'>,
  variable: 'PORT' | 'METRICS_PORT',
) {
  if (error.code === 'EADDRINUSE')
    return `Port ${port} is already in use. Stop the other program, or set ${variable} to another port.`
  if (error.code === 'EACCES')
    return `This user may not listen on port ${port}. Set ${variable} to 1024 or higher.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `HOST ${host} is not an address of this machine. Set HOST to 127.0.0.1, 0.0.0.0 or one of its addresses.`
  return `Sendroom cannot listen on ${host}:${port}: ${error.message}`
}

/** Starts the engine and the recurring work. Returns the functions that stop them. */
async function startWork(deps: Deps, { delivers }: Roles): Promise<Close[]> {
  const [{ startTasks }, { deliveryTasks, processTasks, TASK_CONNECTIONS, workerTasks }] = await Promise.all([
    import('./platform/recurring.ts'),
    import('./recurring-work.ts'),
  ])
  if (!delivers) return [startTasks(processTasks(deps), deps.db, deps.log)]
  const [{ startEngine }, { openSender }] = await Promise.all([
    import('./engine/index.ts'),
    import('./features/receivers/send.ts'),
  ])
  const { config, images, files, log } = deps
  const openMedia = mediaOpener(images, files)
  const engine = startEngine({ ...deps, openMedia })
  const webhooks = openSender(deps)
  // Requests take no connection from the tasks.
  const own = { ...deps, db: deps.db.dedicated(TASK_CONNECTIONS) }
  const delivery = { ...own, openMedia, accountWaitMs: config.accountWaitMs }
  const tasks = [...processTasks(own), ...deliveryTasks(delivery), ...workerTasks(own, webhooks)]
  const stopTasks = startTasks(tasks, deps.db, log)
  // A task that still runs after the time of a stop is cut off.
  return [engine.stop, webhooks.stop, () => stopTasks().then(() => own.db.end(0))]
}

const say = (sentence: string) => process.stdout.write(`${sentence}\n`)

main(process.argv.slice(2)).catch((error) => {
  // The operator reads this: one sentence for a known problem, the whole stack for an unknown one.
  process.stderr.write(`${error instanceof StartupError ? error.message : (error.stack ?? error)}\n`)
  process.exit(error instanceof StartupError ? error.exitCode : 1)
})
