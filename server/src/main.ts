import { type AddressInfo, isIPv6 } from 'node:net'
import { pino } from 'pino'
import type { Parts } from './app.ts'
import { type Config, loadConfig } from './config.ts'
import { ensureFirstAdmin, forgetFirstAdmin, resetPassword } from './features/session/first-admin.ts'
import type { Chores } from './platform/chores.ts'
import { isDatabaseDown } from './platform/database/errors.ts'
import { explainFile } from './platform/database/explain.ts'
import { openDatabase } from './platform/database/open.ts'
import { openImages, sweepImages } from './platform/images.ts'
import { openSecrets } from './platform/secrets.ts'
import { StartupError } from './startup-error.ts'

const USAGE = 'Use: npm start [-- server | worker | user reset-password NAME]'

/** What has been opened so far; closed in the opposite order. */
type Opened = (() => Promise<unknown>)[]
type Roles = { serves: boolean; delivers: boolean }

async function main([role = 'all', ...rest]: string[]) {
  if (role === 'user') return resetPasswordCommand(rest)
  if (!['all', 'server', 'worker'].includes(role) || rest.length > 0) throw new StartupError(USAGE)
  const config = loadConfig()
  // To stderr: stdout is for the person who starts it.
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

async function start(config: Config, log: Parts['log'], roles: Roles, opened: Opened) {
  const database = await openDatabase(config, log)
  opened.push(database.close)
  const { db } = database
  const secrets = await openSecrets(db, config)
  const firstAdmin = roles.serves ? await ensureFirstAdmin(db, config) : null

  // Imported while the database starts would be faster still, but its mistakes would come second.
  const [{ openProviders }, { openChores }] = await Promise.all([
    import('./providers/providers.ts'),
    import('./platform/chores.ts'),
  ])
  const providers = await openProviders({
    whapiBaseUrl: config.whapiBaseUrl,
    whapiPartnerToken: config.whapiPartnerToken,
    testProviderUrl: config.testProviderUrl ?? null,
    dataDir: config.dataDir,
    withTestMode: roles.serves && roles.delivers,
  })
  opened.push(providers.close)
  const chores = openChores({ db, log })
  opened.push(chores.stop)

  let ownAddress: string | null = null
  const parts = {
    db,
    config,
    secrets,
    images: openImages(config),
    providers,
    requestSync: chores.requestSync,
    // The provider of test-mode accounts runs on this machine; the other one has to find us from outside.
    webhookBase: ({ isTest }: { isTest: boolean }) => (isTest ? ownAddress : (config.publicUrl ?? null)),
    log,
  }
  const app = roles.serves ? await serve(parts, firstAdmin) : null
  if (app) {
    ownAddress = loopbackOf(app.server.address())
    opened.push(renewInBackground(parts))
  }
  if (roles.delivers) await deliver(parts, chores, opened)
  // Opened last, so closed first: no new requests while the rest comes to an end.
  if (app) opened.push(() => app.close())
}

type FirstAdmin = Awaited<ReturnType<typeof ensureFirstAdmin>>

async function serve(parts: Parts, firstAdmin: FirstAdmin) {
  const { config } = parts
  const { buildApp } = await import('./app.ts')
  const app = await buildApp({ ...parts, onAdminSignIn: () => forgetFirstAdmin(config.dataDir) })
  const address = await app.listen({ port: config.port, host: config.host }).catch((error) => {
    throw new StartupError(explainListen(error, config))
  })
  say(`Sendroom runs on ${config.publicUrl ?? address}`)
  if (firstAdmin)
    say(
      `Sign in as ${firstAdmin.username} with the password ${firstAdmin.password} (it is shown only this once).`,
    )
  return app
}

/** The address of this server for a process on the same machine. */
function loopbackOf(address: AddressInfo | string | null): string | null {
  if (address === null || typeof address === 'string') return null
  const host = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[address.address] ?? address.address
  return `http://${isIPv6(host) ? `[${host}]` : host}:${address.port}`
}

/** Nobody waits for the providers at a start. Returns its end. */
function renewInBackground(parts: Parts) {
  const stopping = new AbortController()
  const renewing = import('./features/instances/webhook.ts')
    .then(({ renewWebhooks }) => renewWebhooks(parts, stopping.signal))
    .catch((error) => {
      // A worker sets within minutes what could not be set now.
      const level = isDatabaseDown(error) ? 'warn' : 'error'
      parts.log[level]({ err: error }, 'The webhooks could not be set')
    })
  return () => {
    stopping.abort()
    return renewing
  }
}

function explainListen(error: NodeJS.ErrnoException, { port, host }: Config) {
  if (error.code === 'EADDRINUSE') return `Port ${port} is taken: stop what uses it, or set PORT to another.`
  if (error.code === 'EACCES') return `Port ${port} is not allowed for this user: set PORT to 1024 or more.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `HOST ${host} is not an address of this machine.`
  return `Sendroom can't listen on ${host}:${port}: ${error.message}`
}

async function deliver(parts: Parts, chores: Chores, opened: Opened) {
  const { db, config, images, requestSync } = parts
  const [
    { startEngine },
    { syncGroups, requestDueSyncs },
    { readDueStatuses },
    { setDueWebhooks },
    { foldSentCounts },
  ] = await Promise.all([
    import('./engine/index.ts'),
    import('./features/groups/sync.ts'),
    import('./features/instances/status.ts'),
    import('./features/instances/webhook.ts'),
    import('./features/dashboard/dashboard.queries.ts'),
  ])
  const engine = startEngine({ ...parts, readImage: images.read, accountWaitMs: config.accountWaitMs })
  opened.push(engine.stop)
  chores.work({
    sync: (instanceId, signal) => syncGroups(parts, instanceId, signal),
    recurring: {
      'read-statuses': { everyMinutes: 5, run: (signal) => readDueStatuses(parts, signal) },
      'set-webhooks': { everyMinutes: 5, run: (signal) => setDueWebhooks(parts, signal) },
      'request-syncs': { everyMinutes: 10, run: () => requestDueSyncs(db, requestSync) },
      'fold-sent-counts': { everyMinutes: 1, run: () => foldSentCounts(db) },
      'sweep-images': { everyMinutes: 30, run: () => sweepImages(db, images) },
    },
  })
}

async function resetPasswordCommand([command, username, ...rest]: string[]) {
  if (command !== 'reset-password' || !username || rest.length > 0) throw new StartupError(USAGE)
  const config = loadConfig()
  const database = await openDatabase(config, pino({ level: 'warn' }))
  try {
    say(`The new password of ${username} is ${await resetPassword(database.db, username)}`)
  } finally {
    await database.close()
  }
}

/** In order: no new requests, no new sends, what is in flight finishes, then the database. */
function stopOnSignal(opened: Opened, log: Parts['log']) {
  const stop = () => void close(opened, log).then(() => process.exit(0))
  // Once: a second Ctrl-C ends a stop that takes too long.
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

async function close(opened: Opened, log: Parts['log']) {
  for (let next = opened.pop(); next; next = opened.pop())
    await next().catch((error) => log.error({ err: error }, 'Something did not close well'))
}

const say = (sentence: string) => process.stdout.write(`${sentence}\n`)

main(process.argv.slice(2)).catch((error) => {
  // A person reads this: one sentence where we know it, everything where we don't.
  process.stderr.write(`${error instanceof StartupError ? error.message : (error.stack ?? error)}\n`)
  process.exit(1)
})
