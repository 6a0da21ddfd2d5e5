import { problemOf } from './check-answer.ts'
import { describe, type FuzzRequest } from './requests.ts'
import type { Answer } from './send.ts'

/** The requests of a round, which has its own callers and rows. */
export const ROUND = 250

/** No request takes longer, except those that `mayBeSlow`. */
export const SLOW_MS = 1000

type Tally = Record<string, number>

export type Result = {
  requests: number
  /** How many requests got past access rules and validation, to their handler. */
  reached: number
  operations: Tally
  reachedOperations: Tally
  callers: Tally
  statuses: Tally
  slowest: { request: string; ms: number }
  /** Requests that took longer than a second. `aloneMs` is their time when nothing else was asked. */
  slow: { request: string; ms: number; aloneMs: number }[]
  violations: string[]
  /** The tokens of all sign-ins, to look for in the log. */
  tokens: string[]
}

/** Passwords take long to hash, and exports to write. */
export const mayBeSlow = (operation: string) =>
  /auth\/(login|register|confirm)|(POST|PUT) \/api\/users|\/export(\/\w+)?$/.test(operation)

export const emptyResult = (): Result => ({
  requests: 0,
  reached: 0,
  operations: {},
  reachedOperations: {},
  callers: {},
  statuses: {},
  slowest: { request: '', ms: 0 },
  slow: [],
  violations: [],
  tokens: [],
})

const count = (tally: Tally, name: string, by = 1) => {
  tally[name] = (tally[name] ?? 0) + by
}

export function addAnswer(result: Result, fuzz: FuzzRequest, answer: Answer): void {
  const { name } = fuzz.operation
  result.requests += 1
  count(result.operations, name)
  count(result.callers, fuzz.caller.name)
  count(
    result.statuses,
    answer.status < 400 ? `${answer.status}` : `${answer.status} ${problemOf(answer)?.code}`,
  )
  if (answer.hasReachedHandler) {
    result.reached += 1
    count(result.reachedOperations, name)
  }
  if (answer.ms > result.slowest.ms && !mayBeSlow(name))
    result.slowest = { request: describe(fuzz), ms: answer.ms }
  const [, token] = /"token":"([\w-]+)"/.exec(answer.text) ?? []
  if (token && name.endsWith('/login')) result.tokens.push(token)
}

export function addResult(total: Result, other: Result): void {
  total.requests += other.requests
  total.reached += other.reached
  for (const name of ['operations', 'reachedOperations', 'callers', 'statuses'] as const)
    for (const [key, value] of Object.entries(other[name])) count(total[name], key, value)
  if (other.slowest.ms > total.slowest.ms) total.slowest = other.slowest
  total.slow.push(...other.slow)
  total.violations.push(...other.violations)
  total.tokens.push(...other.tokens)
}

/** The figures of a run, for people. */
export function formatResult(result: Result, seconds: number): string {
  const { requests, reached, operations, reachedOperations, callers, statuses, slowest, slow } = result
  const percent = (part: number, whole: number) => `${Math.round((100 * part) / whole)} %`
  const inOrder = (tally: Tally) =>
    Object.entries(tally)
      .sort(([, a], [, b]) => b - a)
      .map(([name, count]) => `${name}: ${count}`)
      .join(', ')
  const never = Object.keys(operations).filter((name) => !reachedOperations[name])
  return [
    `\n${requests} requests in ${seconds.toFixed(0)} s, ${reached} (${percent(reached, requests)}) reached a handler`,
    `Operations: ${Object.keys(operations).length}; no handler reached: ${never.join(', ') || 'none'}`,
    `Callers: ${inOrder(callers)}`,
    `Answers: ${inOrder(statuses)}`,
    `Slowest, without passwords and exports: ${Math.round(slowest.ms)} ms, ${slowest.request.slice(0, 200)}`,
    `Over a second: ${slow.length}`,
    ...slow.map(
      ({ request, ms, aloneMs }) =>
        `  ${Math.round(ms)} ms, alone ${Math.round(aloneMs)} ms: ${request.slice(0, 300)}`,
    ),
  ].join('\n')
}
