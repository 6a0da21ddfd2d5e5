import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import fastify from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../../../test/until.ts'
import { storedFileRoutes } from './route.ts'
import type { FileStore } from './store.ts'

const requestFrom = (address: string) =>
  `GET /files/${'0'.repeat(32)}.mp4 HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`

/**
 * Starts a server whose files have no bytes until the test pushes some. `opened` has their streams. `requests` counts
 * what the server knows: a connection is open for its client before the server has accepted it.
 */
async function startServer() {
  const opened: Readable[] = []
  const requests = { begun: 0, ended: 0 }
  const files: Pick<FileStore, 'sizeOf' | 'openFile'> = {
    sizeOf: async () => 1 << 30,
    async openFile() {
      const stream = new Readable({ read() {} })
      opened.push(stream)
      return { size: 1 << 30, mimeType: 'video/mp4', stream }
    },
  }
  const app = fastify({ trustProxy: 'loopback' })
  app.addHook('onRequest', async (_request, { raw }) => {
    requests.begun++
    raw.once('close', () => requests.ended++)
  })
  storedFileRoutes(app, files as FileStore) // the route uses no other methods
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo // listening on TCP
  let clients = 0
  /** Each client has an address of its own, unless the test names one. */
  async function ask(requests = 1, address = `10.0.0.${++clients}`): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.write(requestFrom(address).repeat(requests))
    return socket
  }
  return { opened, requests, ask }
}

const MOST = 40

// R-1759
test('forty files are open at once, and the next one when a client leaves', async () => {
  const { opened, requests, ask } = await startServer()
  const clients = await Promise.all(Array.from({ length: MOST }, () => ask()))
  await until('forty are open', () => opened.length === MOST)
  await ask()
  await until('one waits', () => requests.begun === MOST + 1)
  const another = await ask()
  await until('another waits', () => requests.begun === MOST + 2)
  another.destroy()
  await until('the other has left', () => requests.ended === 1)

  clients[0]?.destroy()

  await until('the next is open', () => opened.length === MOST + 1)
  for (const client of clients) client.destroy()
  await until(
    'all but the last are closed',
    () => opened.filter(({ destroyed }) => destroyed).length === MOST,
  )
  await ask()
  await until('another one is open', () => opened.length > MOST + 1)
  expect(opened).toHaveLength(MOST + 2)
})

// R-2154
test('an address has twenty files open at most, and the others are for everybody else', async () => {
  const { opened, ask } = await startServer()
  for (let n = 0; n < MOST; n++) await ask(1, '203.0.113.7')
  await until('twenty are open', () => opened.length === 20)

  await ask(1, '203.0.113.8')

  await until('another one is open', () => opened.length === 21)
})

// R-1759
test('requests behind another one on a connection end with it', async () => {
  const { opened, ask } = await startServer()
  const client = await ask(5)
  await until('all are open', () => opened.length === 5)

  client.destroy()

  await until('all are closed', () => opened.every(({ destroyed }) => destroyed))
  await Promise.all(Array.from({ length: MOST }, () => ask()))
  await until('forty others are open', () => opened.length === 5 + MOST)
})

// R-1759
test('a download that does not move for a minute is ended', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { opened, ask } = await startServer()
  const client = await ask()
  let isClosed = false
  client.on('close', () => (isClosed = true)).on('error', () => {})
  let received = ''
  client.on('data', (bytes) => (received += bytes))
  const [file] = await until('it is open', () => opened.length > 0 && opened)
  for (const piece of ['first', 'second']) {
    file?.push(piece)
    await until('the piece has arrived', () => received.includes(piece))
    vi.advanceTimersByTime(50_000)
  }
  expect(file?.destroyed).toBe(false)

  vi.advanceTimersByTime(11_000)

  await until('the connection is closed', () => isClosed)
  await until('the file is closed', () => file?.destroyed)
})
