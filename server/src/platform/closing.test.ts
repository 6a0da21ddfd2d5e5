import { connect } from 'node:net'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { until } from '../../test/until.ts'
import { announceDeparture, cutOffStragglers } from './closing.ts'

const HEAD = 'POST / HTTP/1.1\r\nHost: us\r\n'

test.each([
  ['headers', HEAD],
  ['body', `${HEAD}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{`],
])('a client that stalls in the middle of its %s does not block a stop', async (_part, bytes) => {
  const app = fastify()
  app.post('/', async () => 'never')
  cutOffStragglers(app, 50)
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  let received = 0
  app.server.on('connection', (socket) => {
    socket.on('data', (chunk) => {
      received += chunk.length
    })
  })
  const client = connect(port, '127.0.0.1', () => client.write(bytes))
  client.on('error', () => {}) // the server resets the connection
  await until('the bytes have arrived', () => received === bytes.length)

  await app.close()

  expect(app.server.listening).toBe(false)
})

test('a stop finishes a running request and then closes its connection', async () => {
  const app = fastify({ return503OnClosing: false })
  announceDeparture(app)
  const { promise: finish, resolve } = Promise.withResolvers<void>()
  let isRunning = false
  app.get('/', async () => {
    isRunning = true
    await finish
    return 'done'
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const answer = fetch(url)
  await until('the request runs', () => isRunning)

  const closing = app.close()
  await until('the port is closed', () => !app.server.listening)
  resolve()

  expect(await (await answer).text()).toBe('done')
  await closing // not only after the keep-alive time of the connection
})
