import type { FactorRule } from '@sendroom/contract/factor'
import type { Db, Tx } from '../../platform/database/connection.ts'
import { asInstant, sql } from '../../platform/database/sql.ts'
import { hasFactor, isRequiredOf } from '../../platform/factor.ts'
import { lockUser } from '../../platform/lock-user.ts'

type Factor = { secretCipher: Buffer | null; nextCipher: Buffer | null; nowMs: number }

/** The user's factor with the present moment, by the database's clock. All servers must agree on it. */
export const findFactor = (db: Db, userId: number) =>
  db.maybeOne<Factor>(sql`
    select secret_cipher, next_cipher, (extract(epoch from clock_now()) * 1000)::float8 as now_ms
    from factors where user_id = ${userId}`)

export const saveNextSecret = (tx: Tx, userId: number, cipher: Buffer) =>
  tx.run(sql`
    insert into factors (user_id, next_cipher) values (${userId}, ${cipher})
    on conflict (user_id) do update set next_cipher = excluded.next_cipher`)

/** The new secret counts from now on. Returns false if another one has been begun meanwhile. */
export async function adoptSecret(tx: Tx, userId: number, next: Buffer, step: number): Promise<boolean> {
  const count = await tx.run(sql`
    update factors set secret_cipher = next_cipher, next_cipher = null, last_step = ${step}
    where user_id = ${userId} and next_cipher = ${next}`)
  return count === 1
}

/** Accepts the code of this step, unless it or a later one was accepted before. Of two at once, one wins. */
export async function useStep(tx: Db, userId: number, step: number): Promise<boolean> {
  const count = await tx.run(sql`
    update factors set last_step = ${step} where user_id = ${userId} and last_step < ${step}`)
  return count === 1
}

export async function useRecoveryCode(tx: Db, userId: number, codeHash: Buffer): Promise<boolean> {
  const count = await tx.run(sql`
    delete from recovery_codes where user_id = ${userId} and code_hash = ${codeHash}`)
  return count === 1
}

export async function replaceRecoveryCodes(tx: Tx, userId: number, hashes: Buffer[]): Promise<void> {
  await tx.run(sql`delete from recovery_codes where user_id = ${userId}`)
  await tx.run(sql`
    insert into recovery_codes (user_id, code_hash) select ${userId}, unnest(${hashes}::bytea[])`)
}

/** Returns whether the user had a factor, if only a begun one. */
export async function deleteFactor(tx: Db, userId: number): Promise<boolean> {
  // A sign-in, or a set-up, comes before this or after.
  await lockUser(tx, userId)
  await tx.run(sql`delete from sign_in_tickets where user_id = ${userId}`)
  await tx.run(sql`delete from recovery_codes where user_id = ${userId}`)
  return (await tx.run(sql`delete from factors where user_id = ${userId}`)) === 1
}

type State = { hasFactor: boolean; recoveryCodesLeft: number; isRequired: boolean; since: string | null }

export const readState = (db: Db, userId: number) =>
  db.one<State>(sql`
    select ${hasFactor('u')} as has_factor, ${isRequiredOf('u')} as is_required,
      (select count(*) from recovery_codes c where c.user_id = u.id) as recovery_codes_left,
      case when ${isRequiredOf('u')} then ${asInstant(sql`r.since`)} end as since
    from users u, factor_rule r where u.id = ${userId}`)

export const readRule = (db: Db) => db.one<FactorRule>(sql`select required_of, since from factor_rule`)

/** Two changes at once happen one after the other. */
export const lockRule = (tx: Tx) =>
  tx.one<FactorRule>(sql`select required_of, since from factor_rule for update`)

export const writeRule = (tx: Tx, { requiredOf, since }: FactorRule) =>
  tx.run(sql`update factor_rule set required_of = ${requiredOf}, since = ${since}`)
