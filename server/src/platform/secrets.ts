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
  /** Whether this was encrypted with the key itself, not with the former one. */
  isCurrent: (cipher: Buffer) => boolean
  /** A keyed hash: equal texts have equal hashes, which reveal nothing without the key. */
  hash: (text: string) => Buffer
  /** The secrets of SECRET_KEY_PREVIOUS, while the key is being replaced. `decrypt` reads what they encrypted. */
  former: Secrets | null
}

const NONCE = 12
const TAG = 16

export function secretsOf(secretKey: string, previousKey?: string): Secrets {
  const own = withKey(secretKey)
  const former = previousKey === undefined ? null : secretsOf(previousKey)
  return {
    ...own,
    former,
    decrypt: former ? decryptWith(own.decrypt, former.decrypt) : own.decrypt,
    isCurrent: (sealed) => canDecrypt(own.decrypt, sealed),
  }
}

function canDecrypt(decrypt: Secrets['decrypt'], sealed: Buffer): boolean {
  try {
    decrypt(sealed)
    return true
  } catch {
    return false
  }
}

const decryptWith =
  (decrypt: Secrets['decrypt'], former: Secrets['decrypt']): Secrets['decrypt'] =>
  (sealed) => {
    try {
      return decrypt(sealed)
    } catch {
      return former(sealed)
    }
  }

function withKey(secretKey: string): Pick<Secrets, 'encrypt' | 'decrypt' | 'hash'> {
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

export type KeyPlace = { secretKey?: string; previousKey?: string; dataDir: string }

/**
 * Opens the secrets of this installation. The key is the configured one, or a file in the data folder. That file is
 * only written while the database is still empty: a lost key must be noticed, never replaced.
 *
 * A new key comes with the previous one, which the database knows. From then on it knows both, until `rotate-key` is
 * through, so that no process starts that could not read what another one has encrypted.
 */
export async function openSecrets(db: Pool, place: KeyPlace): Promise<Secrets> {
  return db.begin(async (tx) => {
    await lock(tx, LOCKS.secrets)
    const checks = await readKeyChecks(tx)
    const key = findKey(place) ?? (checks ? missingKey(place) : createKey(place))
    const secrets = secretsOf(key, place.previousKey)
    if (!checks) await tx.run(sql`insert into installation (secret_check) values (${checkOf(secrets)})`)
    else if (!keysFit(place, checks)) throw new StartupError(wrongKey(place))
    else if (!keyFits(key, checks.secretCheck))
      await tx.run(sql`update installation set next_check = ${checkOf(secrets)}`)
    const sealed = await findNumberKey(tx, secrets)
    if (canDecrypt(secrets.decrypt, sealed)) useNumberKey(db, Buffer.from(secrets.decrypt(sealed), 'base64'))
    return secrets
  })
}

/** The encrypted key of the hashes of forgotten numbers. It is random, so that they outlive SECRET_KEY. */
async function findNumberKey(tx: Db, { encrypt }: Secrets): Promise<Buffer> {
  const created = encrypt(randomBytes(32).toString('base64'))
  const { sealed } = await tx.one<{ sealed: Buffer }>(sql`
    update installation set number_key_cipher = coalesce(number_key_cipher, ${created})
    returning number_key_cipher as sealed`)
  return sealed
}

/** Whether the hashes of forgotten numbers can be computed. Also before there are any. */
export async function canReadNumberKey(db: Db, place: KeyPlace): Promise<boolean> {
  const found = await db.maybeOne<{ sealed: Buffer | null }>(sql`
    select number_key_cipher as sealed from installation`)
  const key = findKey(place)
  return (
    !found?.sealed ||
    (key !== undefined && canDecrypt(secretsOf(key, place.previousKey).decrypt, found.sealed))
  )
}

const BLOCK_BYTES = 64

/** Lets the transactions of this pool recognise forgotten numbers: the pads of HMAC (RFC 2104) for `number_hash`. */
export function useNumberKey(db: Pick<Pool, 'setInTransactions'>, key: Buffer): void {
  const block = Buffer.concat([key], BLOCK_BYTES)
  const hex = (byte: number) => Buffer.from(block.map((own) => own ^ byte)).toString('hex')
  db.setInTransactions({ 'sendroom.number_key': `'${hex(0x36)}.${hex(0x5c)}'` })
}

/** The key of an installation, which its database must know. A backup has one key, so none is being replaced. */
export async function requireKey(db: Db, place: KeyPlace): Promise<string> {
  const checks = await readKeyChecks(db)
  const key = findKey(place) ?? missingKey(place)
  if (checks?.nextCheck)
    throw new StartupError(
      'The encryption key is being replaced. Run npm start -- rotate-key to its end first.',
    )
  if (checks && !keyFits(key, checks.secretCheck)) throw new StartupError(wrongKey(place))
  return key
}

/** The values by which the database knows its keys. `nextCheck`: that of a new key, until all is encrypted with it. */
export type KeyChecks = { secretCheck: Buffer; nextCheck: Buffer | null }

/** Undefined before the first start. */
export async function readKeyChecks(db: Db): Promise<KeyChecks | undefined> {
  // Restore and doctor may look at a database of an older program.
  const found = await db.maybeOne<{ secretCheck: Buffer; nextCheck: string | null }>(sql`
    select secret_check, to_jsonb(i)->>'next_check' as next_check from installation i`)
  return (
    found && { ...found, nextCheck: found.nextCheck ? Buffer.from(found.nextCheck.slice(2), 'hex') : null }
  )
}

/** From now on the database knows this key only. */
export const keepOnlyKey = (tx: Db, secrets: Secrets) =>
  tx.run(sql`update installation set secret_check = ${checkOf(secrets)}, next_check = null`)

const checkOf = (secrets: Secrets) => secrets.hash('secret check')

export const keyFits = (key: string, secretCheck: Buffer) =>
  timingSafeEqual(secretCheck, checkOf(secretsOf(key)))

/** Whether the keys of this place are all that the database knows. */
export function keysFit(place: KeyPlace, { secretCheck, nextCheck }: KeyChecks): boolean {
  const keys = [findKey(place), place.previousKey].filter((key) => key !== undefined)
  return [secretCheck, nextCheck].every((check) => !check || keys.some((key) => keyFits(key, check)))
}

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
  `${keyName(place)} does not match this database. Use the key that the database was set up with. To replace that one, set SECRET_KEY_PREVIOUS to it as well.`

/** The key that signs backups. */
export const backupKeyOf = (secretKey: string) =>
  Buffer.from(hkdfSync('sha256', secretKey, 'sendroom', 'backup', 32))

/** Names the key in a sentence. */
export const keyName = ({ secretKey, dataDir }: KeyPlace) =>
  secretKey ? 'SECRET_KEY' : `The key in ${keyFileOf(dataDir)}`
