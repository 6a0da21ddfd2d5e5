import type { ForgetRequest } from '@sendroom/contract/personal-data'
import type { Begin } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import { LOCKS, lock } from '../../platform/database/advisory-lock.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { type HashedNumber, identitiesOf } from './person.ts'

const LISTED = 100

const columns = sql`
  r.id, '+' || r.phone as phone_number, r.requested_by_user_name as requested_by, r.requested_at, r.unsettled, r.erased,
  r.done_at`

export const listRequests = (db: Db) =>
  db.many<ForgetRequest>(sql`select ${columns} from forget_requests r order by r.id desc limit ${LISTED}`)

/**
 * From its commit on nothing is sent to the number (`is_opted_out`). Whatever adds an opt-out or an identity takes the
 * same lock, so that the request knows all of them. A number that is being forgotten already has one request.
 */
export const requestToForget = (begin: Begin, { phone, hash }: HashedNumber): Promise<ForgetRequest> =>
  begin(async (tx, caller) => {
    await lock(tx, LOCKS.optOuts)
    const added = await tx.run(sql`
      insert into forget_requests (phone, identities, requested_by_user_name)
      select ${phone}, array_agg(kind || ' ' || value), ${caller.username} from (${identitiesOf(phone)}) identities
      on conflict (phone) where done_at is null do nothing`)
    if (added > 0) await record(tx, caller, { action: 'personal_data.forget', details: { hash } })
    return tx.one<ForgetRequest>(sql`
      select ${columns} from forget_requests r where r.phone = ${phone} and r.done_at is null`)
  })
