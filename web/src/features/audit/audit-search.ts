import { type AuditAction, auditActions } from '@sendroom/contract/audit-actions'
import { type ListSearch, readListSearch } from '../../lists/list-search.ts'

/** The filters of the audit log in the page's address. Days are Vietnam's: 2026-11-21. */
export type AuditFilters = { action?: AuditAction; from?: string; to?: string }
export type AuditSearch = ListSearch & AuditFilters

/** Reads the page's state from its address. Invalid values are dropped. */
export const readAuditSearch = (raw: Record<string, unknown>): AuditSearch => ({
  ...readListSearch(raw),
  ...readFilters(raw),
})

export function readFilters(raw: Record<string, unknown>): AuditFilters {
  const action = auditActions.find((known) => known === raw.action)
  return {
    ...(action && { action }),
    ...(isDay(raw.from) && { from: raw.from }),
    ...(isDay(raw.to) && { to: raw.to }),
  }
}

/** A year begins with zeros while it is typed. */
export const isDay = (value: unknown): value is string =>
  typeof value === 'string' && /^[2-9]\d{3}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
