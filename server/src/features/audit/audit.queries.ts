import type { AuditEntry, AuditFilter, AuditListQuery } from '@sendroom/contract/audit'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'
import { hasText } from '../../platform/search.ts'

const entry = sql`
  select a.id, a.at, a.user_id, a.user_name, a.address, a.action, a.object_type, a.object_id, a.object_name, a.details`

const from = ({ search, action, from, to }: AuditFilter) => sql`
  from audit_log a where ${hasText(sql`a.search_text`, search)}
    ${action ? sql`and a.action = ${action}` : sql``}
    ${from ? sql`and a.at >= ${from}` : sql``}
    ${to ? sql`and a.at < ${to}` : sql``}`

export const listEntries = (db: Db, query: AuditListQuery) =>
  listPage<AuditEntry>(db, query, {
    select: entry,
    from: from(query),
    sortBy: sql`a.at`,
    id: sql`a.id`,
    countKey: ['audit', query.search, query.action, query.from, query.to],
  })

/** Returns the newest entries, or the newest that are older than `before`. */
export const listSlice = (db: Db, filter: AuditFilter, before: number | null, limit: number) =>
  db.many<AuditEntry>(sql`
  ${entry} ${from(filter)}
    ${before === null ? sql`` : sql`and (a.at, a.id) < ((select at from audit_log where id = ${before}), ${before})`}
  order by a.at desc, a.id desc limit ${limit}`)
