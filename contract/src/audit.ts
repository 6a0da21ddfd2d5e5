import { z } from 'zod'
import { auditActions } from './audit-actions.ts'
import { endpoint } from './endpoint.ts'
import { listQuery, page } from './paging.ts'
import { blankable, Instant } from './values.ts'

/** An entry of the audit log. Names are those of its time, and what it describes may be gone. */
export const AuditEntry = z
  .object({
    id: z.number(),
    at: Instant,
    /** Null if nobody was signed in. The name is empty then. */
    userId: z.number().nullable(),
    userName: z.string(),
    /** The network address of the request. Empty for commands on the server. */
    address: z.string(),
    /** An action of `auditActions`. Not checked here: another version of Sendroom may have written the entry. */
    action: z.string(),
    objectType: z.string().nullable(),
    objectId: z.number().nullable(),
    objectName: z.string(),
    /** Further facts. `changes` has the changed fields, each as [before, after]. */
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.output<typeof AuditEntry>

export const AuditListQuery = listQuery(['at'], { sortBy: 'at', sortDirection: 'desc' }).extend({
  action: blankable(z.enum(auditActions).optional()),
  /** The time from which and before which entries are listed. */
  from: blankable(Instant.optional()),
  to: blankable(Instant.optional()),
})
export type AuditListQuery = z.output<typeof AuditListQuery>

export const AuditFilter = AuditListQuery.pick({ search: true, action: true, from: true, to: true })
export type AuditFilter = z.output<typeof AuditFilter>

export const audit = {
  list: endpoint({
    method: 'GET',
    path: '/audit',
    access: 'admin',
    summary: 'List the audit log: who did what, when and from where',
    query: AuditListQuery,
    response: page(AuditEntry),
  }),
  export: endpoint({
    method: 'GET',
    path: '/audit/export',
    access: 'admin',
    needsConfirmation: true,
    summary: 'The newest 100,000 entries of the audit log as a CSV file',
    query: AuditFilter,
    download: 'text/csv; charset=utf-8',
  }),
}
