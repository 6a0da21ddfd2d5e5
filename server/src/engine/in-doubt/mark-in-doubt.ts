import type { Pool } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { insertLogLines, reason } from '../shared/job-log.ts'

/**
 * Puts messages into doubt whose sender has lost its lease: nobody knows whether they went out. They are looked up and
 * never sent again without that. Their instances are free for the next claim.
 */
export const markInDoubt = (db: Pool) =>
  db.run(sql`
    with unfinished as materialized (
      select distinct instance_id from jobs where status in ('Pending', 'Running') or settling
    ), expired as materialized (
      select i.id, i.in_flight from unfinished join instances i on i.id = unfinished.instance_id
      where i.in_flight is not null and coalesce(i.lease_until, 'epoch') <= clock_now()
      for no key update of i skip locked
    ), freed as (
      update instances i set in_flight = null, claim = null, lease_until = null
      from expired where i.id = expired.id
    ), doubtful as (
      update deliveries d
      set status = 'doubt', doubt_since = clock_now(), next_look_at = clock_now(), doubts = d.doubts + 1,
        reason = ${json(reason('interrupted'))}
      from expired
      where d.id = expired.in_flight and d.status = 'sending'
      returning d.job_id, d.recipient_name
    )
    ${insertLogLines(sql`
      select job_id, 'Warning', jsonb_build_object('code', 'delivery_doubt',
        'params', jsonb_build_object('recipient', recipient_name, 'why', 'interrupted'))
      from doubtful`)}`)
