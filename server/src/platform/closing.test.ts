import { connect } from 'node:net'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { until } from '../../test/until.ts'
import { cutOffStragglers } from './closing.ts'

const HEAD = 'POST / HTTP/1.1\r\nHost: us\r\n'

test.each([
  ['headers', HEAD],
  ['body', `${HEAD}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{`],
])('a client that stopped in the middle of its %s does not keep us from stopping', async (_part, words) => {
  const app = fastify()
  app.post('/', async () => 'never')
  cutOffStragglers(app, 50)
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  let heard = 0
  app.server.on('connection', (socket) => {
    socket.on('data', (bytes) => {
      heard += bytes.length
    })
  })
  const client = connect(port, '127.0.0.1', () => client.write(words))
  client.on('error', () => {}) // it is cut off
  await until('its words are heard', () => heard === words.length)

  await app.close()

  expect(app.server.listening).toBe(false)
})
