import type { Language } from '@sendroom/contract/languages'
import type { Caller } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import { hasFactor } from '../../platform/factor.ts'

/**
 * Always returns a row, with the name as the database compares names. Without such a user the other columns are null.
 */
export const findPassword = (db: Db, username: string) =>
  db.one<{
    name: string
    id: number | null
    passwordHash: string | null
    isActive: boolean | null
    isWaiting: boolean | null
    hasFactor: boolean
    newestDevice: number
  }>(sql`
    select coalesce(lower(u.username), typed.nfc) as name, u.id, u.password_hash, u.is_active, u.is_waiting, ${hasFactor('u')} as has_factor,
      coalesce(d.newest, 0) as newest_device
    from (select lower(${username}::text) as name, lower(${username.normalize('NFC')}::text) as nfc) typed
      left join users u on lower(u.username) in (typed.name, typed.nfc)
      left join sign_in_devices d on d.user_id = u.id
    order by lower(u.username) = typed.name desc limit 1`)

/**
 * Opens a session. Returns false if the user was locked or the password has changed since we verified it. The row lock
 * orders this and such a change: a change that comes later also ends the new session.
 */
export async function insertSession(
  db: Db,
  session: { userId: number; passwordHash: string; tokenHash: Buffer; address: string; browser: string },
  { days, idleMs }: Lasting,
): Promise<boolean> {
  const count = await db.run(sql`
    with unchanged as materialized (
      select id from users where id = ${session.userId} and password_hash = ${session.passwordHash} and is_active
      for share
    )
    insert into sessions (token_hash, user_id, ends_at, expires_at, address, browser)
    select ${session.tokenHash}, id, ends_at, ${endOf(sql`ends_at`, idleMs)}, ${session.address}, ${session.browser}
    from unchanged, (select clock_now() + ${days} * interval '1 day' as ends_at) lasting`)
  return count === 1
}

/** How long a session lasts: with any use, and without. */
export type Lasting = { days: number; idleMs: number }

const endOf = (endsAt: Sql, idleMs: number) =>
  sql`least(${endsAt}, clock_now() + ${idleMs}::bigint * interval '1 ms')`

/** Writes the last use of a session, and so moves its end. Of requests at the same moment, the first does. */
export const recordUse = (db: Db, { sessionId, address }: Caller, idleMs: number) =>
  db.run(sql`
    update sessions set used_at = clock_now(), address = ${address},
      expires_at = case when ends_at is null then expires_at else ${endOf(sql`ends_at`, idleMs)} end
    where id = ${sessionId} and used_at < clock_now() - interval '1 minute'`)

/** Writes the last request of a session that is no use. Its end stays. */
export const recordIdle = (db: Db, { sessionId, address }: Caller) =>
  db.run(sql`
    update sessions set idle_at = clock_now(), address = ${address}
    where id = ${sessionId} and greatest(used_at, idle_at) < clock_now() - interval '1 minute'`)

/**
 * Gives the session another token, and keeps the one of the request valid for so long that requests on their way and
 * other tabs lose nothing. Returns false if another request has done so a moment ago, and this one brought the former
 * token. Whoever still brings that later has not got the answer, and would be signed out without another token.
 */
export async function replaceToken(tx: Db, { sessionId, tokenHash }: Caller, next: Buffer): Promise<boolean> {
  const count = await tx.run(sql`
    update sessions set former_hash = ${tokenHash}, token_hash = ${next},
      former_until = clock_now() + ${FORMER_TOKEN_SECONDS} * interval '1 second'
    where id = ${sessionId} and (token_hash = ${tokenHash} or (former_hash = ${tokenHash}
      and former_until < clock_now() + ${FORMER_TOKEN_SECONDS - MOMENT_SECONDS} * interval '1 second'))`)
  return count === 1
}

const FORMER_TOKEN_SECONDS = 30
/** Tabs that confirm at the same moment are not further apart than this. */
const MOMENT_SECONDS = 5

/** Whether the user has signed in by a program of this name, from this address, within the last 30 days. */
export const hasSignedInFrom = (db: Db, userId: number, address: string, browser: string): Promise<boolean> =>
  db
    .maybeOne(sql`
      select from audit_log
      where action = 'session.sign_in' and at > clock_now() - interval '30 days' and user_id = ${userId}
        and address = ${address} and details->>'browser' = ${browser}
      limit 1`)
    .then(Boolean)

/** Whether the user was told of so many new browsers within a day that more of them are no news. */
export async function wasToldOften(db: Db, userId: number): Promise<boolean> {
  const told = await db.run(sql`
    select from audit_log
    where action = 'session.sign_in' and at > clock_now() - interval '1 day' and user_id = ${userId}
      and details ? 'isNewBrowser'
    limit ${TOLD_A_DAY}`)
  return told === TOLD_A_DAY
}

/** Whoever has the password could fill the bell and the mailbox otherwise, by another name of a browser each time. */
const TOLD_A_DAY = 10

/** Replaces the hash of the same password. Returns false if the password or its hash has changed meanwhile. */
export async function upgradeHash(db: Db, userId: number, from: string, to: string): Promise<boolean> {
  const count = await db.run(sql`
    update users set password_hash = ${to},
      generated_hash = case when generated_hash = password_hash then ${to} else generated_hash end
    where id = ${userId} and password_hash = ${from}`)
  return count === 1
}

/** Gives a browser in which the user has signed in the next number. */
export async function addDevice(db: Db, userId: number): Promise<number> {
  const { newest } = await db.one<{ newest: number }>(sql`
    insert into sign_in_devices as d (user_id, newest) values (${userId}, 1)
    on conflict (user_id) do update set newest = d.newest + 1
    returning newest`)
  return newest
}

export const confirmSession = (db: Db, { sessionId }: Caller) =>
  db.run(sql`update sessions set confirmed_at = clock_now() where id = ${sessionId}`)

/** Each other session of the user has to enter password and code for what needs them. */
export const endOtherConfirmations = (tx: Db, { id, sessionId }: Caller) =>
  tx.run(sql`update sessions set confirmed_at = 'epoch' where user_id = ${id} and id <> ${sessionId}`)

/** The language of the user's emails. */
export const saveLanguage = (db: Db, userId: number, language: Language) =>
  db.run(sql`update users set language = ${language} where id = ${userId} and language <> ${language}`)
