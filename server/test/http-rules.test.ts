import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { useSharedContext } from './context.ts'

// Our HTTP server leaves these to Node and Fastify, yet docs/asvs.md promises them.

const context = useSharedContext()

/** Sends the text as it is. Returns all that comes back until the connection ends. */
async function answerTo(request: string): Promise<string> {
  const port = await context.listen()
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(request)
  return text(socket)
}

test.each([
  ['/api/auth/options', 'application/json; charset=utf-8'],
  ['/api/jobs', 'application/json; charset=utf-8'],
  ['/api/nothing', 'application/json; charset=utf-8'],
  ['/api/jobs/%', 'application/json; charset=utf-8'],
  ['/api/openapi.json', 'application/json; charset=utf-8'],
  ['/api/docs/', 'text/html; charset=utf-8'],
])('the answer to %s names its type and charset', async (url, type) => {
  expect((await (await context.app).inject(url)).headers['content-type']).toBe(type)
})

const SMUGGLED = 'GET /api/health HTTP/1.1\r\nHost: sendroom\r\nConnection: close\r\n\r\n'

test.each([
  ['two lengths', 'Content-Length: 5\r\nContent-Length: 90'],
  ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked'],
  ['an unknown transfer encoding', 'Transfer-Encoding: xchunked'],
  ['a header that continues in the next line', 'Content-Length: 5\r\nX-A: b\r\n Transfer-Encoding: chunked'],
])('a request with %s is refused, and nothing behind it is read', async (_what, headers) => {
  const request = `POST /api/auth/login HTTP/1.1\r\nHost: sendroom\r\n${headers}\r\n\r\n0\r\n\r\n`
  const answer = await answerTo(request + SMUGGLED)
  expect(answer).toMatch(/^HTTP\/1.1 400 /)
  expect(answer).not.toContain('200 OK')
})

test('TRACE does not repeat its request', async () => {
  const answer = await answerTo(
    'TRACE / HTTP/1.1\r\nHost: sendroom\r\nX-Own: mirrored\r\nConnection: close\r\n\r\n',
  )
  expect(answer).toMatch(/^HTTP\/1.1 404 /)
  expect(answer).not.toContain('mirrored')
})

test.each(['/assets/', '/images/', '/.git/config', '/.env', '/assets/..%2f..%2fpackage.json'])(
  'neither a folder nor a file outside the web app is served: %s',
  async (url) => {
    // Where the web app is built, an address without a file is a page of it.
    expect((await (await context.app).inject(url)).body).toMatch(/"code":"not_found"|<div id="root">/)
  },
)

test('a parameter that is given twice is refused', async () => {
  const { token } = await context.add.admin()
  const headers = { authorization: `Bearer ${token}` }
  for (const query of ['page=1&page=2', 'search=a&search=b'])
    expect((await (await context.app).inject({ url: `/api/jobs?${query}`, headers })).statusCode).toBe(400)
})

test('a body that names __proto__ or constructor.prototype is refused', async () => {
  for (const part of ['"__proto__":{"isAdmin":true}', '"constructor":{"prototype":{"isAdmin":true}}']) {
    const { statusCode, body } = await (await context.app).inject({
      method: 'POST',
      url: '/api/auth/login',
      headers: { 'content-type': 'application/json' },
      payload: `{"username":"lan","password":"secret-1",${part}}`,
    })
    expect([statusCode, JSON.parse(body).code]).toEqual([400, 'invalid_input'])
  }
})

test('no answer allows another origin', async () => {
  const app = await context.app
  for (const method of ['GET', 'OPTIONS'] as const) {
    const headers = { origin: 'https://other.example', 'access-control-request-method': 'POST' }
    const answer = await app.inject({ method, url: '/api/auth/login', headers })
    const names = Object.keys(answer.headers)
    expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([])
  }
  const answer = await app.inject({ url: '/api/auth/options', headers: { origin: 'https://other.example' } })
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
})

test('a slow machine has all the time it needs to start', async () => {
  expect((await context.app).initialConfig.pluginTimeout).toBe(0)
})
