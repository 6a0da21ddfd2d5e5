import { normalizeIP } from '@fastify/rate-limit'
import type { RefusalKind } from '@sendroom/contract/audit-actions'
import type { ErrorCode } from '@sendroom/contract/errors'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { countRefusals } from './audit.ts'
import type { Pool } from './database/connection.ts'
import { isDatabaseDown } from './database/errors.ts'
import { meter } from './meter.ts'

export type Refusals = {
  /** Counts a refused call, if it is of a kind that tells of an attack. Costs no I/O. */
  note: (code: ErrorCode, request: FastifyRequest) => void
  /** Writes what was counted. */
  flush: () => Promise<void>
}

const KINDS: Partial<Record<ErrorCode, RefusalKind>> = {
  unauthenticated: 'unauthenticated',
  forbidden: 'forbidden',
  not_for_keys: 'forbidden',
  key_from_elsewhere: 'key_from_elsewhere',
  forgery: 'forgery',
  too_many_requests: 'throttled',
  not_found: 'not_found',
  quota_recipients_user: 'quota',
  quota_recipients_account: 'quota',
  quota_syncs: 'quota',
  quota_searches: 'quota',
  quota_images: 'quota',
  quota_images_of_author: 'quota',
}

const FLUSH_MS = 5000
/** From so many groups in an hour on, further addresses are counted together, so that no attack fills the log. */
const MAX_GROUPS = 500
/** An old link or a page that is open while somebody deletes: only many are worth an entry. */
const NOT_FOUND_FROM = 20

/** The refused calls of one kind, from one user or address, in this hour. */
type Group = {
  kind: RefusalKind
  userId: number | null
  userName: string
  address: string
  /** Not yet written. */
  count: number
  total: number
}

/**
 * Counts refused calls in memory, and adds them to the audit log every five seconds. A write for each would let an
 * attacker load the database.
 */
export function openRefusals(db: Pool, log: Pick<FastifyBaseLogger, 'warn'>): Refusals {
  let groups = new Map<string, Group>()
  let hour = hourNow()
  let timer: NodeJS.Timeout | undefined

  function groupOf(kind: RefusalKind, { caller, ip }: FastifyRequest): Group {
    // Only the first 64 bits of an IPv6 address count: the customer chooses the others.
    const key = `${kind} ${caller ? `user ${caller.id}` : normalizeIP(ip)}`
    const known = groups.get(key)
    if (known) return known
    // Users are few, so each has groups of their own: no stranger with many addresses hides what a user tries.
    const isFull = !caller && groups.size >= MAX_GROUPS
    const others = groups.get(kind)
    if (isFull && others) return others
    const group = {
      kind,
      userId: caller?.id ?? null,
      userName: caller?.username ?? '',
      address: isFull ? '' : ip,
      count: 0,
      total: 0,
    }
    groups.set(isFull ? kind : key, group)
    return group
  }

  const isDue = ({ kind, count, total }: Group) =>
    count > 0 && (kind !== 'not_found' || total >= NOT_FOUND_FROM)

  async function flush() {
    clearTimeout(timer)
    timer = undefined
    const due = [...groups.values()].filter(isDue)
    const written = due.map((group) => ({ ...group }))
    for (const group of due) group.count = 0
    try {
      if (written.length > 0) await countRefusals(db, written)
    } catch (error) {
      for (const [index, group] of due.entries()) group.count += written[index]?.count ?? 0
      schedule()
      // The pool logs once that the database is unavailable.
      if (!isDatabaseDown(error))
        log.warn({ err: error }, 'Refused calls could not be added to the audit log')
      return
    }
    if (hour === hourNow()) return
    hour = hourNow()
    groups = new Map()
  }

  function schedule() {
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref()
  }

  return {
    note(code, request) {
      const kind = kindOf(code, request)
      if (!kind) return
      meter.refused(kind)
      const group = groupOf(kind, request)
      group.count++
      group.total++
      schedule()
    },
    flush,
  }
}

const hourNow = () => Math.floor(Date.now() / 3_600_000)

/** A path that does not exist says nothing of an attack, but a call of a provider with a wrong key or secret does. */
function kindOf(code: ErrorCode, { caller, routeOptions }: FastifyRequest): RefusalKind | undefined {
  if (code !== 'not_found' || caller) return KINDS[code]
  return routeOptions?.url?.startsWith('/api/webhooks/') ? 'forged_webhook' : undefined
}

/** Writes what is left when the app closes. */
export function addRefusals(app: FastifyInstance, refusals: Refusals): void {
  app.decorate('refusals', refusals)
  app.addHook('onClose', refusals.flush)
}
