import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../test/temporary-folder.ts'
import { readConfig } from './config.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { StartupError } from './startup-error.ts'

test('every variable has a default', () => {
  expect(readConfig({})).toEqual({
    port: 3000,
    host: '127.0.0.1',
    dataDir: resolve('data'),
    database: undefined,
    secretKey: undefined,
    backupPassword: undefined,
    admin: { username: 'admin', password: undefined },
    whapiBaseUrl: 'https://gate.whapi.cloud',
    whapiPartnerToken: undefined,
    testProviderUrl: undefined,
    testMode: true,
    publicUrl: undefined,
    trustProxy: ['loopback'],
    imageStore: { kind: 'disk' },
    selfRegistration: 'approval',
    passwordMin: 6,
    sessionDays: 7,
    sessionIdleMs: 12 * 3_600_000,
    auditDays: 365,
    defaultCountry: 'VN',
    accountWaitMs: 24 * 3_600_000,
    logLevel: 'info',
    mail: null,
    outgoingHosts: null,
  })
})

test('an empty variable counts as absent', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: ' ', ACCOUNT_WAIT: '' })).toEqual(readConfig({}))
})

test.each([
  [{ PORT: '8080' }, { port: 8080 }],
  [{ HOST: '0.0.0.0' }, { host: '0.0.0.0' }],
  [{ DATA_DIR: '/var/lib/sendroom' }, { dataDir: '/var/lib/sendroom' }],
  [{ DATABASE_URL: 'postgres://u:p@db/x' }, { database: parseDatabaseUrl('postgres://u:p@db/x') }],
  [
    { DATABASE_URL: 'postgres://pooler/x', DATABASE_DIRECT_URL: 'postgres://db/x' },
    {
      database: parseDatabaseUrl('postgres://pooler/x'),
      directDatabase: parseDatabaseUrl('postgres://db/x'),
    },
  ],
  [{ DATABASE_URL: 'postgresql://db/x' }, { database: parseDatabaseUrl('postgresql://db/x') }],
  [{ SECRET_KEY: 'k'.repeat(32) }, { secretKey: 'k'.repeat(32) }],
  [{ ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'secret' }, { admin: { username: 'root', password: 'secret' } }],
  [{ WHAPI_BASE_URL: 'http://127.0.0.1:4010/' }, { whapiBaseUrl: 'http://127.0.0.1:4010' }],
  [{ WHAPI_PARTNER_TOKEN: 'partner' }, { whapiPartnerToken: 'partner' }],
  [{ TEST_MODE: 'off' }, { testMode: false }],
  [{ TEST_PROVIDER_URL: 'http://simulator:4010/key/' }, { testProviderUrl: 'http://simulator:4010/key' }],
  [{ PUBLIC_URL: 'https://send.example' }, { publicUrl: 'https://send.example' }],
  [{ TRUST_PROXY: '10.0.0.0/8, ::1' }, { trustProxy: ['10.0.0.0/8', '::1'] }],
  [
    { SMTP_URL: 'smtps://u:p@mail.example', MAIL_FROM: 'Sendroom <alerts@example.com>' },
    { mail: { url: 'smtps://u:p@mail.example', from: 'Sendroom <alerts@example.com>' } },
  ],
  [{ IMAGE_STORE: 's3://box' }, { imageStore: { kind: 's3', bucket: 'box', prefix: '' } }],
  [
    { IMAGE_STORE: 's3://box/a/b/?region=eu-central-1&endpoint=http://minio:9000' },
    {
      imageStore: {
        kind: 's3',
        bucket: 'box',
        prefix: 'a/b',
        region: 'eu-central-1',
        endpoint: 'http://minio:9000',
      },
    },
  ],
  [{ SELF_REGISTRATION: 'off' }, { selfRegistration: 'off' }],
  [{ PASSWORD_MIN_LENGTH: '12' }, { passwordMin: 12 }],
  [{ SESSION_DAYS: '30' }, { sessionDays: 30 }],
  [{ SESSION_IDLE: '10m' }, { sessionIdleMs: 600_000 }],
  [{ AUDIT_DAYS: '30' }, { auditDays: 30 }],
  [{ DEFAULT_COUNTRY: 'DE' }, { defaultCountry: 'DE' }],
  [{ ACCOUNT_WAIT: '45s' }, { accountWaitMs: 45_000 }],
  [{ ACCOUNT_WAIT: '30m' }, { accountWaitMs: 1_800_000 }],
  [{ ACCOUNT_WAIT: '2d' }, { accountWaitMs: 172_800_000 }],
  [{ LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
])('%j is read', (env, expected) => {
  expect(readConfig(env)).toEqual({ ...readConfig({}), ...expected })
})

test.each([
  [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535.'],
  [{ PORT: '3e3' }, 'PORT must be a whole number from 0 to 65535.'],
  [{ DATABASE_DIRECT_URL: 'postgres://db/x' }, 'DATABASE_DIRECT_URL needs DATABASE_URL as well.'],
  [
    { DATABASE_URL: 'mysql://db/x' },
    'DATABASE_URL must be a URL that begins with postgres:// or postgresql://.',
  ],
  [{ SECRET_KEY: 'short' }, 'SECRET_KEY must have at least 32 characters.'],
  [{ ADMIN_USERNAME: 'ab' }, 'ADMIN_USERNAME must have at least 3 characters.'],
  [
    { ADMIN_USERNAME: 'ro\u200bot' },
    'ADMIN_USERNAME must have no invisible characters and no double spaces.',
  ],
  [{ PASSWORD_MIN_LENGTH: '5' }, 'PASSWORD_MIN_LENGTH must be a whole number from 6 to 64.'],
  [{ ADMIN_PASSWORD: '12345' }, 'ADMIN_PASSWORD must have at least 6 characters.'],
  [
    { WHAPI_BASE_URL: 'gate.whapi.cloud' },
    'WHAPI_BASE_URL must be a URL that begins with http:// or https://.',
  ],
  [
    { TRUST_PROXY: '10.0.0.0/33' },
    'TRUST_PROXY must be addresses or networks like 10.0.0.0/8, separated by commas.',
  ],
  [{ PUBLIC_URL: 'ftp://x' }, 'PUBLIC_URL must be a URL that begins with http:// or https://.'],
  [{ PUBLIC_URL: 'https://me:hunter2@send.example' }, 'PUBLIC_URL must have no user name and no password.'],
  [{ TEST_MODE: 'no' }, 'TEST_MODE must be one of on, off.'],
  [
    { TEST_MODE: 'off', TEST_PROVIDER_URL: 'http://simulator:4010' },
    'TEST_PROVIDER_URL must not be set while TEST_MODE is off.',
  ],
  [{ TEST_PROVIDER_URL: 'x' }, 'TEST_PROVIDER_URL must be a URL that begins with http:// or https://.'],
  [
    { IMAGE_STORE: 'ftp://x' },
    'IMAGE_STORE must be disk or s3://bucket/prefix?region=eu-central-1&endpoint=https://host.',
  ],
  [{ SELF_REGISTRATION: 'on' }, 'SELF_REGISTRATION must be one of approval, off.'],
  [{ SESSION_DAYS: '0' }, 'SESSION_DAYS must be a whole number from 1 to 365.'],
  [{ SESSION_IDLE: '9m' }, 'SESSION_IDLE must be 10m or more.'],
  [{ AUDIT_DAYS: '29' }, 'AUDIT_DAYS must be a whole number from 30 to 3650.'],
  [{ DEFAULT_COUNTRY: 'vn' }, 'DEFAULT_COUNTRY must be a country code of two capital letters, like VN.'],
  [{ ACCOUNT_WAIT: '1 day' }, 'ACCOUNT_WAIT must be a duration like 30m, 24h or 7d.'],
  [
    { SMTP_URL: 'mail.example:hunter2', MAIL_FROM: 'a@example.com' },
    'SMTP_URL must be a URL like smtp://user:password@mail.example.com:587.',
  ],
  [
    { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'Alerts' },
    'MAIL_FROM must be an address like alerts@example.com or Sendroom <alerts@example.com>.',
  ],
  [{ SMTP_URL: 'smtp://mail.example' }, 'SMTP_URL and MAIL_FROM need each other.'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent.'],
])('%j is refused in one sentence', (env, sentence) => {
  expect(() => readConfig(env)).toThrow(new StartupError(sentence))
})

test('one error names all mistakes', () => {
  expect(() => readConfig({ PORT: 'x', LOG_LEVEL: 'loud' })).toThrow(
    /^PORT must be .*\.\nLOG_LEVEL must be .*\.$/,
  )
})

test('an error never repeats a password', () => {
  expect(() => readConfig({ DATABASE_URL: 'mysql://u:hunter2@db/x' })).not.toThrow(/hunter2/)
})

test('a variable may name a file that holds the value', async () => {
  const folder = await makeTemporaryFolder('config')
  const file = join(folder, 'key')
  writeFileSync(file, `${'k'.repeat(32)}\n`)

  expect(readConfig({ SECRET_KEY_FILE: file }).secretKey).toBe('k'.repeat(32))
  expect(() => readConfig({ SECRET_KEY_FILE: file, SECRET_KEY: 'k'.repeat(32) })).toThrow(
    new StartupError('Set SECRET_KEY or SECRET_KEY_FILE, not both.'),
  )
  expect(() => readConfig({ PORT_FILE: join(folder, 'none') })).toThrow(/^PORT_FILE can't be read: ENOENT/)
})
