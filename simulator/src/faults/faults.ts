import { chatIdOf } from '../wire/identifiers.ts'
import type { FaultRule } from './rules.ts'

/** The fields of a request that fault rules look at. */
interface FaultableRequest {
  token: string
  method: string
  path: string
  to: string | undefined
}

/** The faults in force. */
export interface Faults {
  /** Adds a fault and returns its id. Throws a SyntaxError if `path` is not a regular expression. */
  add(rule: FaultRule): number
  /** Removes a fault. Returns false if no fault has this id. */
  remove(id: number): boolean
  clear(): void
  /** Returns the faults in force, oldest first. `hits` counts the requests that each has affected. */
  list(): (FaultRule & { id: number; hits: number })[]
  /** Returns how many requests each kind of fault has affected so far, including faults that have ended. */
  counts(): Record<string, number>
  /** Returns the oldest fault that matches the request, and counts the request. Usually undefined. */
  match(request: FaultableRequest): FaultRule | undefined
}

/** Creates an empty set of faults. */
export function createFaults(): Faults {
  const active = new Map<number, { rule: FaultRule; path: RegExp; matches: number }>()
  const counts = new Map<string, number>()
  let lastId = 0

  function count(rule: FaultRule) {
    const kind = rule.kind === 'status' ? `status ${rule.status}` : rule.kind
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return rule
  }

  return {
    add(rule) {
      active.set(++lastId, { rule, path: new RegExp(rule.path ?? ''), matches: 0 })
      return lastId
    },
    remove: (id) => active.delete(id),
    clear: () => active.clear(),
    list: () =>
      [...active].map(([id, { rule, matches }]) => ({
        ...rule,
        id,
        hits: Math.max(0, matches - (rule.skip ?? 0)),
      })),
    match(request) {
      for (const [id, fault] of active) {
        const { rule } = fault
        if (rule.token && rule.token !== request.token) continue
        if (rule.method && rule.method.toUpperCase() !== request.method) continue
        if (rule.to && (!request.to || chatIdOf(rule.to) !== chatIdOf(request.to))) continue
        if (!fault.path.test(request.path)) continue
        fault.matches++
        if (fault.matches <= (rule.skip ?? 0)) continue
        if (rule.times && fault.matches === (rule.skip ?? 0) + rule.times) active.delete(id)
        return count(rule)
      }
      return undefined
    },
    counts: () => Object.fromEntries(counts),
  }
}
