import type { ContactJob, ContactJobsQuery } from '@sendroom/contract/contacts'
import type { Page } from '@sendroom/contract/paging'
import { reasonOfOutcome } from '../../engine/index.ts'
import { type Caller, canSeeInstance, isAdmin } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'

/** Lists the messages to a contact, newest first, of jobs of accounts that the caller sees. */
export const listJobsOf = (
  db: Db,
  caller: Caller,
  id: number,
  query: ContactJobsQuery,
): Promise<Page<ContactJob>> =>
  listPage<ContactJob>(
    db,
    { ...query, sortDirection: 'desc' },
    {
      select: sql`
        select d.id, d.job_id, left(coalesce(t.text, j.text_content), 100) as message_title,
          jsonb_build_object('id', i.id, 'name', i.name) as instance, j.created_at,
          case when d.status in ('queued', 'sending', 'doubt') then 'Waiting' else initcap(d.status) end as status,
          d.sent_at, d.delivered_at, d.read_at, ${reasonOfOutcome} as reason`,
      from: sql`
        from deliveries d join jobs j on j.id = d.job_id join instances i on i.id = d.instance_id
          left join delivery_texts t on t.delivery_id = d.id
        where d.contact_id = ${id} and ${canSeeInstance(caller, 'd.instance_id')}`,
      // With it the index of contacts has the order.
      sortBy: sql`d.contact_id`,
      id: sql`d.id`,
      countKey: ['jobs of a contact', isAdmin(caller) || caller.instanceIds, id],
    },
  )
