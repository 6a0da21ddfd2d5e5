import { chatIdOf } from './identifiers.ts'

/** Which requests a fault meets; what is left out matches all. */
interface Matcher {
  token?: string
  method?: string
  /** A regular expression over the path, without the key and the query, e.g. `^/messages/text`. */
  path?: string
  /** The chat of a send or of a list; with or without suffix. */
  to?: string
  /** Lets this many matching requests through first. */
  skip?: number
  /** Ends after this many; without it the fault stays until it is removed. */
  times?: number
}

/** What goes wrong. "Recorded" means that the request took full effect: the message is in the ledger. */
type Effect =
  /** This status. `body`: JSON, or a text for a reply that is no JSON; else an error body, nested or flat. */
  | { kind: 'status'; status: number; body?: unknown; flat?: boolean; retryAfter?: number }
  /** Waits, then does and answers as usual, whether or not the client is still there. */
  | { kind: 'slow'; delayMs: number }
  /** The connection ends; nothing recorded. */
  | { kind: 'drop-before' }
  /** Recorded; the connection ends without an answer. */
  | { kind: 'accept-then-drop' }
  /** Recorded only `delayMs` after the client has hung up: the message that a look-up right away misses. */
  | { kind: 'accept-then-late'; delayMs?: number }
  /** Recorded; the answer is 200 with torn JSON. */
  | { kind: 'malformed' }
  /** 200 `{ "sent": false }`; nothing recorded. */
  | { kind: 'not-sent' }
  /** Recorded; 200 `{ "sent": true }` without a message. */
  | { kind: 'no-id' }
  /** Recorded; 200 with no body. */
  | { kind: 'empty' }

export type FaultRule = Matcher & Effect

export const faultKinds: readonly Effect['kind'][] = [
  'status',
  'slow',
  'drop-before',
  'accept-then-drop',
  'accept-then-late',
  'malformed',
  'not-sent',
  'no-id',
  'empty',
]

export interface Faults {
  /** Switches a fault on; returns the id to remove it by. The first fault that matches a request wins. */
  add(rule: FaultRule): number
  remove(id: number): boolean
  clear(): void
  list(): (FaultRule & { id: number; hits: number })[]
  /** How many requests have met a fault of each kind so far, those that are over included. */
  met(): Record<string, number>
  /** The fault this request meets, counting it; undefined nearly always. */
  meet(request: {
    token: string
    method: string
    path: string
    to: string | undefined
  }): FaultRule | undefined
}

export function createFaults(): Faults {
  const armed = new Map<number, { rule: FaultRule; path: RegExp; seen: number }>()
  const met = new Map<string, number>()
  let lastId = 0

  function count(rule: FaultRule) {
    const kind = rule.kind === 'status' ? `status ${rule.status}` : rule.kind
    met.set(kind, (met.get(kind) ?? 0) + 1)
    return rule
  }

  return {
    add(rule) {
      armed.set(++lastId, { rule, path: new RegExp(rule.path ?? ''), seen: 0 })
      return lastId
    },
    remove: (id) => armed.delete(id),
    clear: () => armed.clear(),
    list: () =>
      [...armed].map(([id, { rule, seen }]) => ({ ...rule, id, hits: Math.max(0, seen - (rule.skip ?? 0)) })),
    meet(request) {
      for (const [id, fault] of armed) {
        const { rule } = fault
        if (rule.token && rule.token !== request.token) continue
        if (rule.method && rule.method.toUpperCase() !== request.method) continue
        if (rule.to && (!request.to || chatIdOf(rule.to) !== chatIdOf(request.to))) continue
        if (!fault.path.test(request.path)) continue
        fault.seen++
        if (fault.seen <= (rule.skip ?? 0)) continue
        if (rule.times && fault.seen === (rule.skip ?? 0) + rule.times) armed.delete(id)
        return count(rule)
      }
      return undefined
    },
    met: () => Object.fromEntries(met),
  }
}
