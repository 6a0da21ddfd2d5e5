import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { limits } from '@sendroom/contract/limits'
import { isReadable } from '@sendroom/contract/users'
import { type CountryCode, isSupportedCountry } from 'libphonenumber-js'
import { z } from 'zod'
import { type DatabaseTarget, parseDatabaseUrl } from './database-url.ts'
import { StartupError } from './startup-error.ts'

export type ImageStore =
  | { kind: 'disk' }
  | { kind: 's3'; bucket: string; prefix: string; region?: string; endpoint?: string }

export type Config = ReturnType<typeof readConfig>

/** Reads the configuration of this process from its environment and from a `.env` file in the working folder. */
export function loadConfig(): Config {
  if (existsSync('.env')) process.loadEnvFile()
  return readConfig(process.env)
}

type Env = Record<string, string | undefined>

/**
 * Reads the variables. An empty one counts as absent. Instead of a value, `NAME_FILE` may name a file that holds it, as
 * secrets of containers do. Throws one StartupError with a line for each mistake.
 */
export function readConfig(env: Env) {
  const present = withFiles(Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim())))
  const result = Variables.safeParse(present)
  if (!result.success) {
    throw new StartupError(
      result.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}.`).join('\n'),
    )
  }
  const read = result.data
  return {
    port: read.PORT,
    host: read.HOST,
    dataDir: read.DATA_DIR,
    /** If absent, the embedded PostgreSQL in `dataDir` is used. */
    database: read.DATABASE_URL,
    /** The same database without a pooler, for what needs a session. */
    directDatabase: read.DATABASE_DIRECT_URL,
    /** If absent, a key is generated into `dataDir`. */
    secretKey: read.SECRET_KEY,
    /** Values that this key has encrypted can be read, until `rotate-key` has encrypted them anew. */
    previousKey: read.SECRET_KEY_PREVIOUS,
    /** Backups are encrypted with this password, and read with it. */
    backupPassword: read.BACKUP_PASSWORD,
    admin: { username: read.ADMIN_USERNAME, password: read.ADMIN_PASSWORD },
    whapiBaseUrl: read.WHAPI_BASE_URL,
    whapiPartnerToken: read.WHAPI_PARTNER_TOKEN,
    testProviderUrl: read.TEST_PROVIDER_URL,
    /** Whether instances may be in test mode. */
    testMode: read.TEST_MODE === 'on',
    publicUrl: read.PUBLIC_URL,
    /** The proxies whose X-Forwarded headers are trusted. */
    trustProxy: read.TRUST_PROXY,
    imageStore: read.IMAGE_STORE,
    /** The only hosts that Sendroom connects to, apart from the database. Null allows all. */
    outgoingHosts: read.OUTGOING_HOSTS ?? null,
    selfRegistration: read.SELF_REGISTRATION,
    passwordMin: read.PASSWORD_MIN_LENGTH,
    sessionDays: read.SESSION_DAYS,
    sessionIdleMs: read.SESSION_IDLE,
    auditDays: read.AUDIT_DAYS,
    defaultCountry: read.DEFAULT_COUNTRY,
    accountWaitMs: read.ACCOUNT_WAIT,
    logLevel: read.LOG_LEVEL,
    /** If absent, Sendroom sends no email. */
    mail: read.SMTP_URL && read.MAIL_FROM ? { url: read.SMTP_URL, from: read.MAIL_FROM } : null,
    /** Prometheus signs in with this token at /metrics. If absent, there are no metrics. */
    metricsToken: read.METRICS_TOKEN,
    /** Where a process without the web app answers /metrics. */
    metricsPort: read.METRICS_PORT,
  }
}

function withFiles(env: Env): Env {
  const read: Env = { ...env }
  for (const name of Object.keys(Variables.shape)) {
    const file = env[`${name}_FILE`]
    if (file === undefined) continue
    if (env[name] !== undefined) throw new StartupError(`Set ${name} or ${name}_FILE, not both.`)
    read[name] = readSecret(`${name}_FILE`, file)
  }
  return read
}

function readSecret(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new StartupError(`${name} can't be read: ${error instanceof Error ? error.message : error}.`)
  }
}

const Variables = z
  .object({
    PORT: wholeNumber(0, 65_535).default(3000),
    HOST: z.string().default('127.0.0.1'),
    DATA_DIR: z
      .string()
      .default('./data')
      .transform((path) => resolve(path)),
    DATABASE_URL: z.string().transform(readDatabaseUrl).optional(),
    DATABASE_DIRECT_URL: z.string().transform(readDatabaseUrl).optional(),
    SECRET_KEY: z.string().min(32, 'must have at least 32 characters').optional(),
    SECRET_KEY_PREVIOUS: z.string().min(32, 'must have at least 32 characters').optional(),
    BACKUP_PASSWORD: z.string().min(12, 'must have at least 12 characters').optional(),
    ADMIN_USERNAME: z
      .string()
      .min(limits.usernameMin, `must have at least ${limits.usernameMin} characters`)
      .max(limits.usernameMax, `must have at most ${limits.usernameMax} characters`)
      .refine(isReadable, 'must have no invisible characters and no double spaces')
      .default('admin'),
    ADMIN_PASSWORD: z
      .string()
      .min(limits.passwordMin, `must have at least ${limits.passwordMin} characters`)
      .max(limits.passwordMax, `must have at most ${limits.passwordMax} characters`)
      .optional(),
    WHAPI_BASE_URL: webUrl().default('https://gate.whapi.cloud'),
    WHAPI_PARTNER_TOKEN: z.string().optional(),
    TEST_PROVIDER_URL: webUrl().optional(),
    TEST_MODE: oneOf('on', 'off').default('on'),
    PUBLIC_URL: webUrl().optional(),
    TRUST_PROXY: z
      .string()
      .default('loopback')
      .transform((text) => text.split(',').map((part) => part.trim()))
      .refine(
        (parts) => parts.every(isNetwork),
        'must be addresses or networks like 10.0.0.0/8, separated by commas',
      ),
    IMAGE_STORE: z.string().default('disk').transform(readImageStore),
    OUTGOING_HOSTS: z
      .string()
      .transform((text) => text.split(',').map((part) => part.trim().toLowerCase()))
      .refine(
        (hosts) => hosts.every((host) => /^(\*\.)?[a-z0-9._:[\]-]+$/.test(host)),
        'must be hosts like gate.whapi.cloud or *.example.com, separated by commas, without https:// and ports',
      )
      .optional(),
    SELF_REGISTRATION: oneOf('approval', 'off').default('approval'),
    PASSWORD_MIN_LENGTH: wholeNumber(limits.passwordMin, 64).default(limits.passwordMin),
    SESSION_DAYS: wholeNumber(1, 365).default(7),
    // The last use is written once a minute.
    SESSION_IDLE: z
      .string()
      .default('12h')
      .transform(readDuration)
      .refine((ms) => ms >= 10 * UNIT_MS.m, 'must be 10m or more'),
    AUDIT_DAYS: wholeNumber(30, 3650).default(365),
    DEFAULT_COUNTRY: z
      .custom<CountryCode>(
        (text) => isSupportedCountry(String(text)),
        'must be a country code of two capital letters, like VN',
      )
      .default('VN'),
    ACCOUNT_WAIT: z.string().default('24h').transform(readDuration),
    LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
    SMTP_URL: z
      .string()
      .refine(isMailServer, 'must be a URL like smtp://user:password@mail.example.com:587')
      .optional(),
    MAIL_FROM: z
      .string()
      .regex(
        /^([^<>\r\n]+ <[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/,
        'must be an address like alerts@example.com or Sendroom <alerts@example.com>',
      )
      .optional(),
    METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
    METRICS_PORT: wholeNumber(0, 65_535).optional(),
  })
  .refine((read) => !read.DATABASE_DIRECT_URL || read.DATABASE_URL, {
    path: ['DATABASE_DIRECT_URL'],
    message: 'needs DATABASE_URL as well',
  })
  .refine((read) => read.TEST_MODE === 'on' || !read.TEST_PROVIDER_URL, {
    path: ['TEST_PROVIDER_URL'],
    message: 'must not be set while TEST_MODE is off',
  })
  .refine((read) => !read.SMTP_URL === !read.MAIL_FROM, {
    path: ['SMTP_URL'],
    message: 'and MAIL_FROM need each other',
  })

function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`
  const number = z.int(message).min(min, message).max(max, message)
  return z.string().regex(/^\d+$/, message).transform(Number).pipe(number)
}

function oneOf<const T extends string>(...words: T[]) {
  return z.enum(words, `must be one of ${words.join(', ')}`)
}

/** The message never repeats the value, because a URL may hold a password. */
function webUrl() {
  const isWeb = (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? '')
  const hasName = (text: string) => Boolean(URL.parse(text)?.username || URL.parse(text)?.password)
  return (
    z
      .string()
      .refine(isWeb, 'must be a URL that begins with http:// or https://')
      // Node refuses to call such a URL, in a sentence that repeats the password.
      .refine((text) => !hasName(text), 'must have no user name and no password')
      .transform((text) => text.replace(/\/+$/, ''))
  )
}

function isMailServer(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
}

function readDatabaseUrl(text: string, context: z.RefinementCtx): DatabaseTarget {
  try {
    return parseDatabaseUrl(text)
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : String(error))
    return z.NEVER
  }
}

/** Whether Fastify accepts the text as a proxy: an address, a network, or one of its names for local networks. */
function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits = '0', ...rest] = text.split('/')
  const version = isIP(address)
  return version > 0 && rest.length === 0 && /^\d+$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
}

function readImageStore(text: string, context: z.RefinementCtx): ImageStore {
  if (text === 'disk') return { kind: 'disk' }
  const place = URL.parse(text)
  if (place?.protocol !== 's3:' || !place.hostname) {
    context.addIssue('must be disk or s3://bucket/prefix?region=eu-central-1&endpoint=https://host')
    return z.NEVER
  }
  const option = (name: string) => place.searchParams.get(name) ?? undefined
  const prefix = place.pathname.replace(/^\/+|\/+$/g, '')
  return {
    kind: 's3',
    bucket: place.hostname,
    prefix,
    region: option('region'),
    endpoint: option('endpoint'),
  }
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function readDuration(text: string, context: z.RefinementCtx): number {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? []
  if (unit && unit in UNIT_MS) return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS] // `in` does not narrow
  context.addIssue('must be a duration like 30m, 24h or 7d')
  return z.NEVER
}
