import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { nobody, record } from '../../platform/audit.ts'
import { LOCKS, lock } from '../../platform/database/advisory-lock.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { lockUserChanges } from '../../platform/lock-user.ts'
import { findWeakness, generatePassword, hashPassword, requireStrong } from '../../platform/passwords.ts'
import { endSessions } from '../../platform/sessions.ts'
import { StartupError } from '../../startup-error.ts'

const passwordFileOf = (dataDir: string) => join(dataDir, 'first-admin.txt')

/**
 * Creates the first Admin if there is no user at all. Returns the password if it was generated. A file in the data
 * folder keeps a generated password until an Admin has signed in, because nobody sees it when this start fails later,
 * on a taken port for example.
 */
export async function ensureFirstAdmin(
  db: Pool,
  config: Pick<Config, 'dataDir' | 'admin' | 'passwordMin'>,
): Promise<{ username: string; password: string } | null> {
  const { username } = config.admin
  return db.begin(async (tx) => {
    await lock(tx, LOCKS.firstAdmin)
    const anybody = await tx.maybeOne(sql`select 1 from users limit 1`)
    if (anybody) return null
    const { password: chosen } = config.admin
    if (chosen) await requireStrongFirst(chosen, username, config.passwordMin)
    const password = chosen ?? generatePassword(config.passwordMin)
    const passwordHash = await hashPassword(password)
    await tx.run(sql`
      insert into users (username, email, password_hash, generated_hash, role, is_active)
      values (${username}, ${`${username}@localhost.localdomain`}, ${passwordHash}, ${chosen ? null : passwordHash},
        'Admin', true)`)
    if (chosen) return null
    mkdirSync(config.dataDir, { recursive: true })
    writeFileSync(passwordFileOf(config.dataDir), `Username: ${username}\nPassword: ${password}\n`, {
      mode: 0o600,
    })
    return { username, password }
  })
}

async function requireStrongFirst(password: string, username: string, minLength: number) {
  const weakness = await findWeakness(password, username, minLength)
  if (!weakness) return
  const words = {
    'USER_FORM.PASSWORD_INVALID': `must have at least ${minLength} characters`,
    'PASSWORD.HAS_USERNAME': 'contains the name of ADMIN_USERNAME: choose another one',
    'PASSWORD.TOO_COMMON': 'is too common: choose another one',
  }
  throw new StartupError(`ADMIN_PASSWORD ${words[weakness]}.`)
}

/** The file with a generated password, null after an Admin has signed in. */
export function unreadPassword(dataDir: string): string | null {
  const file = passwordFileOf(dataDir)
  return existsSync(file) ? file : null
}

/** Deletes the file with the generated password. Called after an Admin has signed in. */
export const forgetFirstAdmin = (dataDir: string) => rm(passwordFileOf(dataDir), { force: true })

/**
 * Sets a new password for a user who has lost theirs, generated unless `chosen`, and ends the user's sessions. Returns
 * the password.
 */
export async function resetPassword(
  db: Pool,
  username: string,
  { passwordMin }: Pick<Config, 'passwordMin'>,
  chosen?: string,
): Promise<string> {
  if (chosen !== undefined) await requireStrong(chosen, username, passwordMin)
  const password = chosen ?? generatePassword(passwordMin)
  const passwordHash = await hashPassword(password)
  return db.begin(async (tx) => {
    const user = await tx.maybeOne<{ id: number; username: string }>(sql`
      select id, username from users where lower(username) = lower(${username})`)
    if (!user) throw new StartupError(`There is no user called ${username}.`)
    await lockUserChanges(tx, user.id)
    await tx.run(sql`update users set password_hash = ${passwordHash} where id = ${user.id}`)
    await endSessions(tx, user.id)
    const object = { type: 'user', id: user.id, name: user.username } as const
    await record(tx, nobody(''), { action: 'user.password', object, details: { by: 'command' } })
    return password
  })
}
