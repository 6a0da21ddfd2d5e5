import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { textMessage } from '../../test/text-message.ts'
import { createWhapi } from './whapi.ts'

const credentials = { token: 'test_linked' }
const person = '84901234567@s.whatsapp.net'
const unreachable = { code: 'provider_unreachable', params: {} }
const notSent = { kind: 'busy', reason: unreachable, retryAfterMs: null }
const unknown = { kind: 'unknown', reason: unreachable }

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

function whapiAt(baseUrl: string, sendMs = 20_000) {
  const whapi = createWhapi({ baseUrl, timeouts: { sendMs, connectMs: 200 } })
  open.push(whapi)
  return whapi
}

/** Starts a server that calls `onData` with everything it has read so far. Returns the server's URL. */
async function serve(onData: (socket: Socket, read: string, times: number) => void) {
  const sockets = new Set<Socket>()
  let times = 0
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    let read = ''
    socket.on('error', () => {})
    socket.on('data', (data) => {
      read += data
      onData(socket, read, ++times)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push({
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // listening on TCP
}

test('a refused connection or an unknown host name means not sent', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // listening on TCP
  server.close()
  await once(server, 'close')

  expect(await whapiAt(`http://127.0.0.1:${port}`).send(credentials, person, textMessage('x'))).toEqual(
    notSent,
  )
  expect(await whapiAt('http://nobody.invalid').send(credentials, person, textMessage('x'))).toEqual(notSent)
})

test('a TLS handshake that never ends means not sent', async () => {
  const url = await serve(() => {})

  expect(await whapiAt(url.replace('http:', 'https:')).send(credentials, person, textMessage('x'))).toEqual(
    notSent,
  )
})

test('a server that never answers means unknown, after the timeout', async () => {
  const url = await serve(() => {})

  expect(await whapiAt(url, 100).send(credentials, person, textMessage('x'))).toEqual(unknown)
})

test('half an answer means unknown, whether the connection stalls, ends or is reset', async () => {
  const half = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"sent":true'
  const silent = await serve((socket) => socket.write(half))
  const ending = await serve((socket) => socket.end(half))
  const resetting = await serve((socket) => socket.write(half, () => socket.resetAndDestroy()))

  expect(await whapiAt(silent, 100).send(credentials, person, textMessage('x'))).toEqual(unknown)
  expect(await whapiAt(ending).send(credentials, person, textMessage('x'))).toEqual(unknown)
  expect(await whapiAt(resetting).send(credentials, person, textMessage('x'))).toEqual(unknown)
})

test('an answer that is not HTTP means unknown', async () => {
  const url = await serve((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))

  expect(await whapiAt(url).send(credentials, person, textMessage('x'))).toEqual(unknown)
})

test('a kept-alive connection that dies during the second message means unknown, and no second write', async () => {
  const body = '{"sent":true,"message":{"id":"one"}}'
  const written: number[] = []
  const url = await serve((socket, _read, times) => {
    written.push(times)
    if (times === 1) socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    else socket.destroy()
  })
  const whapi = whapiAt(url)

  expect(await whapi.send(credentials, person, textMessage('x'))).toEqual({
    kind: 'sent',
    providerMessageId: 'one',
  })
  expect(await whapi.send(credentials, person, textMessage('x'))).toEqual(unknown)
  expect(written).toEqual([1, 2])
})

test('concurrent messages use separate connections, so none waits for another', async () => {
  const sockets = new Set<Socket>()
  const body = '{"sent":true,"message":{"id":"one"}}'
  const url = await serve((socket) => {
    sockets.add(socket)
    // Answers only when all messages have arrived.
    if (sockets.size < 50) return
    for (const one of sockets) one.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  })
  const whapi = whapiAt(url)

  const outcomes = await Promise.all(
    Array.from({ length: 50 }, () => whapi.send(credentials, person, textMessage('x'))),
  )

  expect(outcomes.every(({ kind }) => kind === 'sent')).toBe(true)
})

test('close ends calls in flight as unknown and later calls as not sent', async () => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>()
  const url = await serve(() => resolve())
  const whapi = whapiAt(url)

  const sending = whapi.send(credentials, person, textMessage('x'))
  await arrived
  await whapi.close()

  expect(await sending).toEqual(unknown)
  expect(await whapi.send(credentials, person, textMessage('x'))).toEqual(notSent)
})

test('Retry-After may be a date by the server’s clock', async () => {
  const date = 'Sat, 21 Nov 2026 10:00:00 GMT'
  const later = 'Sat, 21 Nov 2026 10:01:30 GMT'
  const url = await serve((socket) =>
    socket.write(`HTTP/1.1 429 Slow\r\ndate: ${date}\r\nretry-after: ${later}\r\ncontent-length: 0\r\n\r\n`),
  )

  expect(await whapiAt(url).send(credentials, person, textMessage('x'))).toMatchObject({
    kind: 'busy',
    retryAfterMs: 90_000,
  })
})
