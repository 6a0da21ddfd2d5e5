import { describe, expect, test } from 'vitest'
import { parseDatabaseUrl, plainHosts } from './database-url.ts'

const ENCRYPTED = { rejectUnauthorized: false }

test('a URL has one server, the user and the password', () => {
  expect(parseDatabaseUrl('postgres://ann:p%40ss%2F@db.example:6432/shop')).toEqual({
    places: [{ host: 'db.example', port: 6432, ssl: false }],
    user: 'ann',
    password: 'p@ss/',
    database: 'shop',
  })
})

test('a URL may have several servers', () => {
  expect(parseDatabaseUrl('postgres://u@a:5433,[::1]:5434,c/x')).toMatchObject({
    places: [
      { host: 'a', port: 5433 },
      { host: '::1', port: 5434 },
      { host: 'c', port: 5432 },
    ],
  })
})

test.each([
  ['postgres://%2Frun%2Fpostgresql/x', { host: '/run/postgresql', port: 5432 }],
  ['postgresql:///x', { host: 'localhost', port: 5432 }],
  ['postgres://u:p@:5433/x', { host: 'localhost', port: 5433 }],
])('%s is %j', (url, place) => {
  expect(parseDatabaseUrl(url).places).toEqual([{ ...place, ssl: false }])
})

describe('TLS', () => {
  test.each([
    ['', [false]],
    ['sslmode=disable', [false]],
    ['sslmode=allow', [false, ENCRYPTED]],
    ['sslmode=prefer', [ENCRYPTED, false]],
    ['sslmode=require', [ENCRYPTED]],
    ['sslmode=verify-ca', [{}]],
    ['sslmode=verify-full', [{}]],
    ['sslrootcert=system', [{}]],
    ['ssl=true', [{}]],
  ])('%j tries %j', (query, expected) => {
    expect(parseDatabaseUrl(`postgres://db/x?${query}`).places.map(({ ssl }) => ssl)).toEqual(expected)
  })
})

//
test.each([
  ['db.example/x', ['db.example']],
  ['db.example/x?sslmode=prefer', ['db.example']],
  ['a,b,localhost/x', ['a', 'b']],
  ['10.0.0.5:6432,10.0.0.5:5432/x', ['10.0.0.5']],
  ['db.example/x?sslmode=require', []],
  ['localhost,127.0.0.2,[::1]/x', []],
  ['%2Frun%2Fpostgresql/x', []],
])('at %s these hosts may be reached without encryption: %j', (place, hosts) => {
  expect(plainHosts(parseDatabaseUrl(`postgres://${place}`), undefined)).toEqual(hosts)
})

test.each(['any', 'read-write', 'primary'])('target_session_attrs=%s is accepted', (wanted) => {
  expect(() => parseDatabaseUrl(`postgres://db/x?target_session_attrs=${wanted}`)).not.toThrow()
})

test.each([
  ['mysql://u:hunter2@db/x', 'must be a URL that begins with postgres:// or postgresql://'],
  ['postgres://u:hunter2@a:b/x', 'has an invalid host. Write each host as host or host:port'],
  ['postgres://u:hunter2@db:70000/x', 'has an invalid host. Write each host as host or host:port'],
  [
    'postgres://u:hunter2%@db/x',
    'has a % that is not followed by two hexadecimal digits. Write a literal % as %25',
  ],
  ['postgres://u:hunter2@db/x?channel_binding=require', /^has an unknown option: channel_binding/],
  ['postgres://u:hunter2@db/x?sslmode=on', /^has an unknown sslmode: on\. Use/],
  ['postgres://u:hunter2@db/x?sslmode=constructor', /^has an unknown sslmode: constructor\. Use/],
  ['postgres://u:hunter2@db/x?sslrootcert=my.crt', /NODE_EXTRA_CA_CERTS/],
  ['postgres://u:hunter2@db/x?target_session_attrs=standby', /^has target_session_attrs=standby/],
])('%s is refused, and the error does not repeat the password', (url, message) => {
  expect(() => parseDatabaseUrl(url)).toThrow(message)
  expect(() => parseDatabaseUrl(url)).not.toThrow(/hunter2/)
})
