import type { Db } from './connection.ts'
import { type Sql, sql } from './sql.ts'

const named = (name: string) => sql`hashtext(${`sendroom ${name}`})`

/**
 * The keys of all advisory locks, by what happens to one at a time. None ever changes, because older programs take the
 * same locks during an upgrade. Triggers also lock: of jobs (29001, user) and (29002, instance) for the quotas, before
 * these (29005, instance), then (29004, user and instance) for the approval, and of identities what `optOuts` is.
 */
export const LOCKS = {
  contactFields: named('contact fields'),
  counts: named('counts'),
  firstAdmin: named('first admin'),
  imageFiles: named('image files'),
  imagesOf: (userId: number) => sql`29003, hashint8(${userId})`,
  importsOf: (userId: number) => named(`imports ${userId}`),
  lists: named('lists'),
  migrations: named('migrations'),
  notices: named('notices'),
  numberChecksOf: (userId: number) => named(`number checks ${userId}`),
  optOuts: named('opt-outs'),
  overdueJobs: named('overdue'),
  peopleOfJobs: named('people of jobs'),
  pollsOf: (instanceId: number) => named(`polls ${instanceId}`),
  process: (host: string, dataDir: string) => named(`${host} ${dataDir}`),
  receipts: named('receipts'),
  receivers: named('receivers'),
  recurringWork: named('recurring work'),
  registrations: named('registrations'),
  requestOf: (userId: number, requestId: string) => named(`request ${userId} ${requestId}`),
  roles: named('roles'),
  secrets: named('secrets'),
  sessionDefaults: named('session defaults'),
  tags: named('tags'),
  users: named('user changes'),
  webhookQueues: named('webhooks'),
  /**
   * Shared by each write of the user. Whoever locks the user, or ends a session, takes it first: locks of rows have no
   * queue, so a thief who writes on and on, each time before the last write has ended, could not be stopped.
   */
  writesOf: (userId: number) => named(`writes of ${userId}`),
}

/** Waits for the lock, and keeps it until the transaction ends. */
export const lock = (tx: Pick<Db, 'run'>, key: Sql) => tx.run(sql`select pg_advisory_xact_lock(${key})`)

/** The same, together with others who share it. */
export const lockShared = (tx: Pick<Db, 'run'>, key: Sql) =>
  tx.run(sql`select pg_advisory_xact_lock_shared(${key})`)

/** Keeps the lock until the transaction ends. Returns false if somebody else has it. */
export async function tryLock(tx: Db, key: Sql): Promise<boolean> {
  const { isLocked } = await tx.one<{ isLocked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${key}) as is_locked`,
  )
  return isLocked
}
