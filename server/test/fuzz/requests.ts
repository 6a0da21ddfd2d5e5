import * as fc from 'fast-check'
import type { Caller, Fixture } from './fixture.ts'
import { idOf, knownValues, webhookBody } from './known-values.ts'
import type { Operation } from './operations.ts'
import { formBody, jsonBody, type Payload } from './payloads.ts'
import { hostileValue, oddWords, validValue } from './values.ts'

export type FuzzRequest = {
  operation: Operation
  caller: Caller
  /** Path and query, percent-encoded. */
  url: string
  headers: Record<string, string>
  payload: Payload | null
}

/** Passwords take long to hash by design, and exports to write. The others are called more often. */
const RARE = /auth\/(login|register|confirm)|(POST|PUT) \/api\/users|\/export(\/\w+)?$|\/events$/
/** Calls that end what other requests need: an instance with all its rows. */
const RARER = /DELETE \/api\/(instances|users)|audit\/export/

const weightOf = ({ name }: Operation) => (RARER.test(name) ? 1 : RARE.test(name) ? 3 : 10)

/** Requests to all operations as all callers, most of them valid. */
export function requestsTo(operations: Operation[], fixture: Fixture): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(
    ...operations.map((operation) => ({
      weight: weightOf(operation),
      arbitrary: requestTo(operation, fixture),
    })),
  )
}

function requestTo(operation: Operation, fixture: Fixture): fc.Arbitrary<FuzzRequest> {
  return callerOf(operation, fixture).chain((caller) =>
    fc
      .record({
        path: pathOf(operation, caller, fixture),
        query: queryOf(operation, caller, fixture),
        headers: oddHeaders,
      })
      .chain(({ path, query, headers }) =>
        payloadOf(operation, caller, fixture).map((payload) => ({
          operation,
          caller,
          url: query ? `${path}?${query}` : path,
          headers: { ...caller.headers(), ...payload?.headers, ...headers },
          payload,
        })),
      ),
  )
}

/** Mostly a caller who may: otherwise few requests would get past the access rules. */
function callerOf({ name, allowsApiKeys }: Operation, { callers }: Fixture): fc.Arbitrary<Caller> {
  const { admin, member, webhook, key, keyOfAdmin } = callers
  if (name.includes('/webhooks/')) return fc.constant(webhook)
  const isForAdmins = /\/(users|audit|system)|(POST|PUT|DELETE) \/api\/instances(\/data)?(\/\{id\})?$/.test(
    name,
  )
  const { webhook: _, ...users } = callers
  return fc.oneof(
    { weight: isForAdmins ? 7 : 3, arbitrary: fc.constant(admin) },
    { weight: isForAdmins ? 1 : 5, arbitrary: fc.constant(member) },
    { weight: allowsApiKeys ? 3 : 1, arbitrary: fc.constantFrom(key, keyOfAdmin) },
    { weight: 2, arbitrary: fc.constantFrom(...Object.values(users)) },
  )
}

const oddPathValues = [
  ...[
    '0',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    '%00',
    '%ff',
    '%',
    '..',
    '%2e%2e%2f',
    'null',
    'NaN',
    '9007199254740993',
  ],
  ...oddWords,
  ...[
    '99999999999999999999',
    encodeURIComponent('١'),
    encodeURIComponent('👍'),
    'x'.repeat(199),
    'x'.repeat(300),
  ],
]

function pathOf({ path, name }: Operation, caller: Caller, fixture: Fixture): fc.Arbitrary<string> {
  if (!path.includes('{')) return fc.constant(path)
  const valid = path.includes('{key}') ? fc.constantFrom(...fixture.webhookKeys) : idOf(name, caller, fixture)
  return fc
    .oneof({ weight: 14, arbitrary: valid }, { weight: 1, arbitrary: fc.constantFrom(...oddPathValues) })
    .map((value) => path.replace(/\{\w+\}/, String(value)))
}

const encoded = (value: unknown) =>
  encodeURIComponent((typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed())

function queryOf({ query, name }: Operation, caller: Caller, fixture: Fixture): fc.Arbitrary<string> {
  const names = Object.keys(query.properties ?? {})
  const valid = validValue(query, knownValues(name, fixture, caller)).map((fields) =>
    Object.entries(fields as object) // the schema of a query is an object's
      .map(([name, value]) => `${name}=${encoded(value)}`)
      .join('&'),
  )
  if (names.length === 0) return fc.constant('')
  const hostile = fc
    .tuple(fc.constantFrom(...names, ...oddWords, 'x[y]'), hostileValue)
    .map(([name, value]) => `${name}=${encoded(value).slice(0, 6000)}`)
  const broken = fc.constantFrom(
    'page=1&page=2',
    'search=a&search=b&search[]=c',
    '%',
    'page=%ff',
    '&&==&',
    'search=%00',
  )
  return fc.oneof(
    { weight: 8, arbitrary: valid },
    { weight: 2, arbitrary: fc.tuple(valid, hostile).map((both) => both.join('&')) },
    { weight: 1, arbitrary: broken },
  )
}

function payloadOf(operation: Operation, caller: Caller, fixture: Fixture): fc.Arbitrary<Payload | null> {
  const { body, takesForms, method, name } = operation
  const none = fc.constant(null)
  // Some requests that need no body have one.
  if (body === null)
    return method === 'GET'
      ? none
      : fc.oneof({ weight: 9, arbitrary: none }, { weight: 1, arbitrary: jsonBody(hostileValue, ['id']) })
  const isWebhook = name.includes('/webhooks/')
  const valid = isWebhook ? webhookBody(fixture) : validValue(body, knownValues(name, fixture, caller))
  const json = jsonBody(
    valid,
    isWebhook ? ['statuses', 'health', 'user', 'groups'] : Object.keys(body.properties ?? {}),
  )
  return takesForms ? fc.oneof(json, formBody(valid)) : json
}

/** Headers that a proxy, a browser or an attacker may add. Most requests have none of these. */
const oddHeaders = fc.oneof(
  { weight: 20, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { cookie: 'XSRF-TOKEN=abc' },
      { cookie: 'XSRF-TOKEN=abc', 'x-xsrf-token': 'abc' },
      { cookie: '=;;=\u00ff; XSRF-TOKEN' },
      { authorization: 'Bearer ' },
      { authorization: `Bearer ${'x'.repeat(6000)}` },
      { authorization: 'Basic YTpi' },
      { 'x-forwarded-for': 'not an address' },
      { 'x-forwarded-for': '::ffff:1.2.3.4, 10.0.0.1' },
      { 'x-forwarded-for': `fe80::1%eth0, ${'1'.repeat(3000)}` },
      { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' },
      { 'accept-encoding': 'br;q=2, *' },
      { 'x-http-method-override': 'DELETE' },
      { 'last-event-id': '\u00ff' },
      { 'content-type': 'application/json; charset=utf-7' },
      { expect: '100-continue' },
    ),
  },
)

/** A request in one line, to understand and repeat it. */
export function describe({ operation, caller, url, headers, payload }: FuzzRequest): string {
  const { authorization: _, ...shown } = headers
  const body = payload ? JSON.stringify(payload.bytes.toString('latin1').slice(0, 1500)) : ''
  return `${operation.method} ${url.slice(0, 500)} as ${caller.name} ${JSON.stringify(shown).slice(0, 300)} ${body}`
}
