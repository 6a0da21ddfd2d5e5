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
import { LOCKS, lock } from './database/advisory-lock.ts'
import type { Db, Pool } from './database/connection.ts'
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

type KeyPlace = { secretKey?: string; dataDir: string }

/**
 * Opens the secrets of this installation. The key is the configured one, or a file in the data folder. That file is
 * only written while the database is still empty: a lost key must be noticed, never replaced.
 */
export async function openSecrets(db: Pool, place: KeyPlace): Promise<Secrets> {
  return db.begin(async (tx) => {
    await lock(tx, LOCKS.secrets)
    const secretCheck = await readSecretCheck(tx)
    const key = findKey(place) ?? (secretCheck ? missingKey(place) : createKey(place))
    const secrets = secretsOf(key)
    if (!secretCheck) await tx.run(sql`insert into installation (secret_check) values (${checkOf(secrets)})`)
    else if (!keyFits(key, secretCheck)) throw new StartupError(wrongKey(place))
    return secrets
  })
}

/** The key of an installation, which its database must know. */
export async function requireKey(db: Db, place: KeyPlace): Promise<string> {
  const secretCheck = await readSecretCheck(db)
  const key = findKey(place) ?? missingKey(place)
  if (secretCheck && !keyFits(key, secretCheck)) throw new StartupError(wrongKey(place))
  return key
}

/** Reads the value by which the database knows its key. Undefined before the first start. */
export async function readSecretCheck(db: Db): Promise<Buffer | undefined> {
  const found = await db.maybeOne<{ secretCheck: Buffer }>(sql`select secret_check from installation`)
  return found?.secretCheck
}

const checkOf = (secrets: Secrets) => secrets.hash('secret check')

export const keyFits = (key: string, secretCheck: Buffer) =>
  timingSafeEqual(secretCheck, checkOf(secretsOf(key)))

export const keyFileOf = (dataDir: string) => join(dataDir, 'secret.key')

/** Returns the configured key, or the one in the data folder, if there is one. */
export function findKey({ secretKey, dataDir }: KeyPlace): string | undefined {
  const path = keyFileOf(dataDir)
  return secretKey ?? (existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined)
}

const createKey = ({ dataDir }: KeyPlace) => storeKey(dataDir, randomBytes(32).toString('base64url'))

/** Writes the key into the data folder, which must not have one yet. */
export function storeKey(dataDir: string, key: string): string {
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(keyFileOf(dataDir), `${key}\n`, { mode: 0o600, flag: 'wx' })
  return key
}

function missingKey({ dataDir }: KeyPlace): never {
  throw new StartupError(
    `The encryption key is missing: SECRET_KEY is not set, and ${keyFileOf(dataDir)} does not exist. Set SECRET_KEY or restore the file.`,
  )
}

const wrongKey = (place: KeyPlace) =>
  `${keyName(place)} does not match this database. Use the key that the database was set up with.`

/** Names the key in a sentence. */
export const keyName = ({ secretKey, dataDir }: KeyPlace) =>
  secretKey ? 'SECRET_KEY' : `The key in ${keyFileOf(dataDir)}`
