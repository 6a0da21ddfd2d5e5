import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EndpointName } from '@sendroom/contract'
import { type ErrorCode, errorWords } from '@sendroom/contract/errors'
import type { Page } from '@sendroom/contract/paging'
import { paginationOf } from '@sendroom/contract/paging'
import type { Problem } from '@sendroom/contract/problem'
import { vi } from 'vitest'
import type { OutputOf } from '../src/api/client.ts'
import { calm } from './dashboard.ts'

/** A request as the scripted server received it. */
export type RecordedRequest = {
  name: string
  params: Record<string, string>
  query: Record<string, string>
  body: unknown
  headers: Headers
}

type Refused = { status: number; problem: Partial<Problem> }
/** An answer by the contract, a refusal, or a raw `Response` for files and streams. A promise delays the answer. */
type Answer<N extends EndpointName> = (
  request: RecordedRequest,
) => OutputOf<N> | Refused | Response | Promise<OutputOf<N> | Refused>
/** The answers by endpoint, typed by the contract. Endpoints without an answer return 404. */
export type Answers = { [N in EndpointName]?: Answer<N> }

export const refuse = (status: number, code: ErrorCode, rest: Partial<Problem> = {}): Refused => ({
  status,
  problem: { code, error: errorWords[code], ...rest },
})

/** A page of a list: by default page 1 of 1. */
export const pageOf = <Row>(
  data: Row[],
  total = data.length,
  query = { page: 1, pageSize: 10 },
): Page<Row> => ({
  data,
  pagination: paginationOf(query, total),
})

/**
 * Every page has the bell, and the dashboard says what goes on. Tests of other things need not answer these requests,
 * and do not see them among the requests.
 */
const usual: Record<string, object> = {
  'GET /notices': { notices: [] },
  'GET /dashboard/now': calm,
  'GET /dashboard/days': { days: [] },
  'GET /text-variables': { variables: [] },
  'GET /possible-opt-outs': pageOf([]),
  'GET /jobs': pageOf([]),
  'GET /users/:id/sessions': { sessions: [] },
}

/** Replaces `fetch` with a scripted server. Returns the list in which it records the requests. */
export function serve(answers: Answers, answerTexts = texts): RecordedRequest[] {
  const requests: RecordedRequest[] = []
  const routes = Object.entries({ ...changesOf(answers), ...answers }).map(([name, answer]) => ({
    name,
    pattern: patternOf(name),
    // `Answers` has checked that each answer fits its endpoint, but the union of all types loses that.
    answer: answer as (request: RecordedRequest) => unknown,
  }))
  vi.stubGlobal('fetch', async (input: string, init: RequestInit = {}) => {
    const url = new URL(input, window.location.origin)
    if (url.pathname.startsWith('/i18n/')) return answerTexts(url.pathname)
    const line = `${init.method ?? 'GET'} ${url.pathname.replace('/api', '')}`
    for (const { name, pattern, answer } of routes) {
      const found = pattern.exec(line)
      if (!found) continue
      const request = {
        name,
        params: { ...found.groups },
        query: Object.fromEntries(url.searchParams),
        body: typeof init.body === 'string' ? JSON.parse(init.body) : init.body,
        headers: new Headers(init.headers),
      }
      requests.push(request)
      return respond(await answer(request))
    }
    return respond(usual[line.replace(/\d+/, ':id')] ?? refuse(404, 'not_found'))
  })
  return requests
}

/** An open job's page asks for the changes only. They follow from the job itself. */
function changesOf({ 'GET /jobs/:id': getJob }: Answers): Answers {
  if (!getJob) return {}
  return {
    'GET /jobs/:id/changes': async (request) => {
      const job = await getJob(request)
      // Only these two are not raw responses.
      if (!('logs' in job)) return job as Refused
      const { textContent, assignedGroups, targetPhoneNumbers, sentMessages, ...changes } = job
      return { ...changes, logs: job.logs.filter(({ id }) => id > Number(request.query.afterLog)) }
    },
  }
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

export const texts = (path: string) => Response.json(textsOf(path.replace(/^.*\/|\.json$/g, '')))
