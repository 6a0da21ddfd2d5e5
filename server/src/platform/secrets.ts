import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartupError } from '../startup-error.ts'
import type { Pool } from './database/connection.ts'
import { sql } from './database/sql.ts'

export type Secrets = {
  /** Encrypts with AES-256-GCM. The result holds nonce, tag and text. */
  encrypt: (text: string) => Buffer
  decrypt: (cipher: Buffer) => string
  /** A keyed hash: equal texts have equal hashes, which reveal nothing without the key. */
  hash: (text: string) => Buffer
}

const NONCE = 12
const TAG = 16

export function secretsOf(secretKey: string): Secrets {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secretKey, 'sendroom', purpose, 32))
  const encryptionKey = derive('encrypt')
  // From bytes Node creates a new key object for each hash, at five times the cost.
  const hashKey = createSecretKey(derive('hash'))
  return {
    encrypt(text) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    decrypt(sealed) {
      const decipher = createDecipheriv('aes-256-gcm', encryptionKey, sealed.subarray(0, NONCE))
      decipher.setAuthTag(sealed.subarray(NONCE, NONCE + TAG))
      return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()]).toString('utf8')
    },
    hash: (text) => createHmac('sha256', hashKey).update(text).digest(),
  }
}

/**
 * Opens the secrets of this installation. The key is the configured one, or a file in the data folder. That file is
 * only written while the database is still empty: a lost key must be noticed, never replaced.
 */
export async function openSecrets(
  db: Pool,
  config: { secretKey?: string; dataDir: string },
): Promise<Secrets> {
  return db.begin(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(hashtext('sendroom secrets'))`)
    const installation = await tx.maybeOne<{ secretCheck: Buffer }>(
      sql`select secret_check from installation`,
    )
    const secrets = secretsOf(config.secretKey ?? keyFile(config.dataDir, installation === undefined))
    const check = secrets.hash('secret check')
    if (!installation) await tx.run(sql`insert into installation (secret_check) values (${check})`)
    else if (!timingSafeEqual(installation.secretCheck, check)) throw new StartupError(wrongKey(config))
    return secrets
  })
}

function keyFile(dataDir: string, mayCreate: boolean): string {
  const path = join(dataDir, 'secret.key')
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  if (!mayCreate)
    throw new StartupError(
      `The encryption key is missing: SECRET_KEY is not set, and ${path} does not exist. Set SECRET_KEY or restore the file.`,
    )
  mkdirSync(dataDir, { recursive: true })
  const key = randomBytes(32).toString('base64url')
  writeFileSync(path, `${key}\n`, { mode: 0o600, flag: 'wx' })
  return key
}

const wrongKey = ({ secretKey, dataDir }: { secretKey?: string; dataDir: string }) =>
  `${secretKey ? 'SECRET_KEY' : `The key in ${join(dataDir, 'secret.key')}`} does not match this database. Use the key that the database was set up with.`
