import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EndpointName } from '@sendroom/contract'
import { type ErrorCode, errorWords } from '@sendroom/contract/errors'
import type { Page } from '@sendroom/contract/paging'
import { paginationOf } from '@sendroom/contract/paging'
import type { Problem } from '@sendroom/contract/problem'
import { vi } from 'vitest'
import type { OutputOf } from '../src/api/client.ts'

/** A request as a test may look at it. */
export type Seen = {
  name: string
  params: Record<string, string>
  query: Record<string, string>
  body: unknown
  headers: Headers
}

type Refused = { status: number; problem: Partial<Problem> }
/** A `Response` is given as it is: a stream. A promise is an answer that takes its time. */
type Answer<N extends EndpointName> = (
  seen: Seen,
) => OutputOf<N> | Refused | Response | Promise<OutputOf<N> | Refused>
/** How each endpoint answers; the types are the contract's. What is left out answers 404. */
export type Answers = { [N in EndpointName]?: Answer<N> }

export const refuse = (status: number, code: ErrorCode, rest: Partial<Problem> = {}): Refused => ({
  status,
  problem: { code, error: errorWords[code], ...rest },
})

/** The rows of a list, as page 1 of 1 unless said otherwise. */
export const pageOf = <Row>(
  data: Row[],
  total = data.length,
  query = { page: 1, pageSize: 10 },
): Page<Row> => ({
  data,
  pagination: paginationOf(query, total),
})

/** Puts a fetch in place that answers by the contract. Returns the requests it has seen. */
export function serve(answers: Answers): Seen[] {
  const seen: Seen[] = []
  const routes = Object.entries(answers).map(([name, answer]) => ({
    name,
    pattern: patternOf(name),
    // Each answer fits the name it stands under; the union of all can't say so.
    answer: answer as (seen: Seen) => unknown,
  }))
  vi.stubGlobal('fetch', async (input: string, init: RequestInit = {}) => {
    const url = new URL(input, window.location.origin)
    if (url.pathname.startsWith('/i18n/')) return texts(url.pathname)
    const asked = `${init.method ?? 'GET'} ${url.pathname.replace('/api', '')}`
    for (const { name, pattern, answer } of routes) {
      const found = pattern.exec(asked)
      if (!found) continue
      const request = {
        name,
        params: { ...found.groups },
        query: Object.fromEntries(url.searchParams),
        body: typeof init.body === 'string' ? JSON.parse(init.body) : init.body,
        headers: new Headers(init.headers),
      }
      seen.push(request)
      return respond(await answer(request))
    }
    return respond(refuse(404, 'not_found'))
  })
  return seen
}

const patternOf = (name: string) => new RegExp(`^${name.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)

function respond(answer: unknown) {
  if (answer === undefined) return new Response(null, { status: 204 })
  if (answer instanceof Response) return answer
  if (isRefused(answer)) return Response.json(answer.problem, { status: answer.status })
  return Response.json(answer)
}

const isRefused = (answer: unknown): answer is Refused =>
  typeof answer === 'object' && answer !== null && 'problem' in answer

export const textsOf = (language: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../public/i18n/${language}.json`), 'utf8'))

const texts = (path: string) => Response.json(textsOf(path.replace(/^.*\/|\.json$/g, '')))
