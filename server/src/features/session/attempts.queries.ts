import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/**
 * Attempts without a wait, the longest wait in seconds, and after how many seconds the count starts again: a day,
 * unless it says otherwise. `key` says whose attempts they are.
 */
export type Allowance = { key: Buffer; free: number; longestWait: number; seconds?: number }

const DAY = 24 * 3600
const isOver = (seconds = DAY) => sql`f.since <= clock_now() - ${seconds}::int * interval '1 second'`

/**
 * Counts an attempt. Returns false, and counts nothing, if the attempt comes too early. One statement, so
 * that of many attempts at the same moment each sees the ones before it.
 */
export async function countAttempt(tx: Db, { key, free, longestWait, seconds }: Allowance): Promise<boolean> {
  const over = isOver(seconds)
  const count = sql`(case when ${over} then 1 else f.failures + 1 end)`
  const counted = await tx.run(sql`
    insert into sign_in_failures as f (key, failures, since, next_at)
    values (${key}, 1, clock_now(), 'epoch')
    on conflict (key) do update set
      failures = ${count},
      since = case when ${over} then clock_now() else f.since end,
      next_at = case when ${count} < ${free}::int then 'epoch'
        else clock_now() + least(${longestWait}::int, power(2, least(${count} - ${free}::int, 20))) * interval '1 second' end
    where ${over} or f.next_at <= clock_now()`)
  return counted === 1
}

export async function secondsUntilNext(tx: Db, key: Buffer): Promise<number> {
  const { seconds } = await tx.one<{ seconds: number }>(sql`
    select greatest(1, ceil(extract(epoch from max(next_at) - clock_now())))::int as seconds
    from sign_in_failures where key = ${key}`)
  return seconds
}

/** The seconds until the next attempt may come. 0 if it may come now. */
export async function secondsToWait(db: Db, key: Buffer): Promise<number> {
  const found = await db.maybeOne<{ seconds: number }>(sql`
    select ceil(extract(epoch from next_at - clock_now()))::int as seconds
    from sign_in_failures where key = ${key} and next_at > clock_now()`)
  return found?.seconds ?? 0
}

/** Uncounts an attempt. The next one need not wait for it. */
export const takeBackAttempt = (db: Db, key: Buffer) =>
  db.run(sql`
    update sign_in_failures set failures = greatest(failures - 1, 0), next_at = 'epoch' where key = ${key}`)

export const forgetFailures = (db: Db, allowances: Allowance[]) =>
  db.run(sql`delete from sign_in_failures where key = any(${allowances.map(({ key }) => key)}::bytea[])`)

/**
 * Deletes the counts that are over, and those beyond `limit`: strangers can make a new one with every name. Keeps the
 * highest counts, so that a flood of single failures does not reset the count of an attacked name.
 */
export const deleteOldFailures = (db: Db, limit = 100_000) =>
  db.run(sql`
    delete from sign_in_failures f where ${isOver()} or key in (
      select key from sign_in_failures order by failures desc, since desc offset ${limit}::int)`)
