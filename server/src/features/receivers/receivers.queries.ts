import { limits } from '@sendroom/contract/limits'
import type { Attempt, Receiver, ReceiverForm } from '@sendroom/contract/receivers'
import { LOCKS, lock } from '../../platform/database/advisory-lock.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { assignments, sql, values } from '../../platform/database/sql.ts'
import type { Secrets } from '../../platform/secrets.ts'

const rows = sql`
  select r.id, r.name, r.url, r.url_cipher, r.topics, r.is_active, r.allows_own_network, r.created_at,
    (select count(*) from webhook_queue q where q.receiver_id = r.id) as waiting,
    (select max(a.at) from webhook_attempts a where a.receiver_id = r.id and a.has_arrived) as arrived_at,
    (select max(a.at) from webhook_attempts a where a.receiver_id = r.id and not a.has_arrived) as failed_at
  from webhook_receivers r`

type Sealed = { url: string; urlCipher: Buffer | null }

/** Decrypts the address. An older program stored it as it is. */
export const withAddress = <R extends Sealed>({ decrypt }: Secrets, { urlCipher, ...rest }: R) => ({
  ...rest,
  url: urlCipher ? decrypt(urlCipher) : rest.url,
})

export async function listReceivers(db: Db, secrets: Secrets): Promise<Receiver[]> {
  const found = await db.many<Receiver & Sealed>(sql`${rows} order by r.name, r.id`)
  return found.map((receiver) => withAddress(secrets, receiver))
}

export async function findReceiver(db: Db, secrets: Secrets, id: number): Promise<Receiver | null> {
  const found = await db.maybeOne<Receiver & Sealed>(sql`${rows} where r.id = ${id}`)
  return found ? withAddress(secrets, found) : null
}

const sealed = ({ encrypt }: Secrets, { url, ...rest }: ReceiverForm) => ({
  ...rest,
  url: '',
  urlCipher: encrypt(url),
})

/** Encrypts the addresses that an older program has stored. */
export const encryptAddresses = (db: Pool, { encrypt }: Secrets) =>
  db.begin(async (tx) => {
    const plain = await tx.many<{ id: number; url: string }>(sql`
      select id, url from webhook_receivers where url <> '' for update`)
    for (const { id, url } of plain) {
      const urlCipher = encrypt(url)
      await tx.run(sql`update webhook_receivers set url = '', url_cipher = ${urlCipher} where id = ${id}`)
    }
  })

export const listAttempts = (db: Db, receiverId: number) =>
  db.many<Attempt>(sql`
    select a.id, a.event_id, a.type, a.at, a.duration_ms, a.has_arrived, a.status, a.error, a.body,
      exists (select from webhook_queue q where q.receiver_id = a.receiver_id and q.event_id = a.event_id) as is_waiting
    from webhook_attempts a where a.receiver_id = ${receiverId} order by a.id desc limit ${2 * limits.attempts}`)

type StoredAttempt = { receiverId: number; eventId: string; type: string; body: string }

export async function findAttempt(db: Db, receiverId: number, id: number): Promise<StoredAttempt | null> {
  const attempt = await db.maybeOne<StoredAttempt>(sql`
    select receiver_id, event_id, type, body from webhook_attempts
    where id = ${id} and receiver_id = ${receiverId}`)
  return attempt ?? null
}

/** Locks the table against other new receivers, so that their number stays within the limit. Returns null beyond it. */
export async function insertReceiver(
  tx: Db,
  secrets: Secrets,
  form: ReceiverForm,
  secret: string,
): Promise<number | null> {
  await lock(tx, LOCKS.receivers)
  const { count } = await tx.one<{ count: number }>(sql`select count(*) as count from webhook_receivers`)
  if (count >= limits.receivers) return null
  const receiver = { ...sealed(secrets, form), secretCipher: secrets.encrypt(secret) }
  const { id } = await tx.one<{ id: number }>(
    sql`insert into webhook_receivers ${values(receiver)} returning id`,
  )
  return id
}

/** A changed receiver need not rest. One without failures does not: a worker may be sending to it. */
export const updateReceiver = (tx: Db, secrets: Secrets, id: number, form: ReceiverForm) =>
  tx.run(sql`
    update webhook_receivers set ${assignments(sealed(secrets, form))}, failures = 0,
      try_at = case when failures > 0 then clock_now() else try_at end
    where id = ${id}`)

export const deleteReceiver = (tx: Db, id: number) =>
  tx.run(sql`delete from webhook_receivers where id = ${id}`)
