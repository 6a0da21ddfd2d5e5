import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { limits } from '@sendroom/contract/limits'
import { expect, onTestFinished, test } from 'vitest'
import { useSharedContext } from '../../test/context.ts'
import { until } from '../../test/until.ts'
import { closeAfterUnreadBodies } from './unread-bodies.ts'

const context = useSharedContext()

/** A connection that collects what the server writes. */
function connectTo(port: number) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let [text, isClosed] = ['', false]
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  socket.once('close', () => {
    isClosed = true
  })
  const statuses = () =>
    [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)).filter((n) => n !== 100)
  return { socket, statuses, isClosed: () => isClosed }
}

const field = `--x\r\nContent-Disposition: form-data; name="groupIds"\r\n\r\n1\r\n`
const fields = field.repeat(20_000)
const form = 'multipart/form-data; boundary=x'
const json = 'application/json'
const picture = (bytes: number, name = 'imageFile') =>
  `--x\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n${'x'.repeat(bytes)}\r\n--x--\r\n`

type Case = { line: string; type?: string; body?: string; session?: boolean; status: number | number[] }

const cases: Record<string, Case> = {
  'a form with an empty boundary': {
    line: 'POST /api/messages/with-file',
    type: 'multipart/form-data; boundary=',
    status: 400,
  },
  'such a form at another path': {
    line: 'POST /api/messages',
    type: 'multipart/form-data; boundary=',
    status: 400,
  },
  'a form without a boundary': {
    line: 'POST /api/messages/with-file',
    type: 'multipart/form-data',
    status: 400,
  },
  'a form with another boundary': { line: 'POST /api/messages/with-file', type: `${form}y`, status: 400 },
  'a form with a file of another name': {
    line: 'POST /api/messages/with-file',
    type: form,
    body: `${fields}${picture(9, 'other')}${fields}`,
    status: 400,
  },
  'a form with a forbidden name': {
    line: 'POST /api/messages/with-file',
    type: form,
    body: `${field.replace('groupIds', 'constructor')}${fields.slice(field.length * 2)}`,
    status: 400,
  },
  'a form with too large a picture': {
    line: 'POST /api/messages/with-file',
    type: form,
    body: picture(limits.imageMegabytes * 1024 * 1024 + 1e6),
    status: 413,
  },
  'a form where none is expected': { line: 'POST /api/jobs/preview', type: form, status: 415 },
  'a body of an unknown type': { line: 'POST /api/messages', type: 'application/xml', status: 415 },
  'too large a JSON body': { line: 'POST /api/messages', status: 413 },
  'an unknown path': { line: 'POST /api/nothing', status: [404, 413] },
  'a malformed path': { line: 'POST /api/jobs/%', status: 400 },
  'a page of the web app': { line: 'POST /', status: [404, 413] },
  'a read with a body': { line: 'GET /api/users', status: [403, 413] },
  'a HEAD with a body': { line: 'HEAD /api/users', status: [403, 413] },
  'an effect by HEAD': { line: 'HEAD /api/instances/1/logout', status: [405, 413] },
  'an image': { line: 'GET /images/nothing.png', status: [401, 404, 413] },
  'a webhook with a wrong key': { line: 'POST /api/webhooks/whapi/1/nothing', status: [401, 403, 404, 413] },
  'a call without a session': { line: 'POST /api/messages', session: false, status: 401 },
  'a form without a session': { line: 'POST /api/messages', type: form, session: false, status: 401 },
  'a call without the right': { line: 'POST /api/users', status: 403 },
  'a sign-in with too large a body': { line: 'POST /api/auth/login', session: false, status: 413 },
}

const next = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** How the bytes of a request leave the client. */
const ways: Record<string, { isChunked?: boolean; expects?: boolean; waits?: boolean; isSlow?: boolean }> = {
  'in one go': {},
  'in one go, waiting for the answer': { waits: true },
  'in pieces': { isSlow: true },
  'in chunks': { isChunked: true },
  'with Expect': { expects: true, waits: true },
}

async function exchange(port: number, token: string, test: Case, way: (typeof ways)[string]) {
  const { line, type = json, body = fields, session = true } = test
  const head = [
    `${line} HTTP/1.1`,
    'Host: localhost',
    `Content-Type: ${type}`,
    way.isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`,
    ...(session ? [`Authorization: Bearer ${token}`] : []),
    ...(way.expects ? ['Expect: 100-continue'] : []),
  ].join('\r\n')
  const sent = way.isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body
  const { socket, statuses, isClosed } = connectTo(port)
  const bytes = `${head}\r\n\r\n${sent}${way.waits ? '' : next}`
  const size = way.isSlow ? Math.ceil(bytes.length / 5) : bytes.length
  for (let at = 0; at < bytes.length; at += size) {
    socket.write(bytes.slice(at, at + size))
    if (way.isSlow) await delay(10)
  }
  await until('the first request is answered', () => statuses().length > 0, 3000)
  if (way.waits && !isClosed()) socket.write(next)
  await until(
    'the next request is answered, or the connection closes',
    () => statuses().length > 1 || isClosed(),
    3000,
  )
  return statuses()
}

//
test.each(Object.entries(cases))('%s holds up no other request on its connection', async (_, refused) => {
  const { token } = await context.add.user()
  const port = await context.listen()
  for (const [how, way] of Object.entries(ways)) {
    const [first, ...others] = await exchange(port, token, refused, way)
    expect([how, [refused.status].flat().includes(first ?? 0), others]).toEqual([
      how,
      true,
      others.length > 0 ? [200] : [],
    ])
  }
})

async function serve(answer: RequestListener, maxMs?: number) {
  const server = createServer(answer)
  closeAfterUnreadBodies(server, maxMs)
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return connectTo((server.address() as AddressInfo).port) // listening on TCP
}

test('a body whose reader has stopped ends the connection, and the next request is not begun', async () => {
  const asked: (string | undefined)[] = []
  const { socket, statuses, isClosed } = await serve((request, response) => {
    asked.push(request.url)
    request.pipe(new Writable({ write: () => {} })) // like the parser of a form after an error
    response.writeHead(400).end()
  })
  socket.write(
    `POST /first HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(1e6)}${next}`,
  )
  await until('the connection closes', isClosed, 3000)
  expect([statuses(), asked]).toEqual([[400], ['/first']])
})

const begun = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\n'

test.each([
  ['is too long', 'x'.repeat(8_900_000), 60_000],
  ['does not end', 'x', 50],
])('the rest of a refused body that %s ends the connection', async (_, body, maxMs) => {
  const { socket, statuses, isClosed } = await serve(
    (_request, response) => void response.writeHead(400).end(),
    maxMs,
  )
  socket.write(begun)
  await until('the request is answered', () => statuses().length === 1)
  socket.write(body)
  await until('the connection closes', isClosed, 10_000)
})
