import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../test/context.ts'
import { parseJsonBodies, watchComplexity } from './json-body.ts'

const context = useSharedContext()

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const keys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join()}}`

test.each([
  ['a job with the most recipients', JSON.stringify({ groupIds: Array(100_000).fill(1) }), false],
  ['more values', JSON.stringify(Array(120_000).fill(1)), true],
  ['sixteen levels', nested(16), false],
  ['seventeen levels', nested(17), true],
  ['nested objects', '{"a":'.repeat(17), true],
  ['twenty thousand keys', keys(20_000), false],
  ['more keys', keys(20_001), true],
  ['brackets in a text', JSON.stringify({ text: nested(100) }), false],
  ['brackets behind an escaped quote', JSON.stringify({ text: `"${nested(100)}\\` }), false],
  ['brackets behind a text that ends in a backslash', JSON.stringify(['\\', [nested(1)]]) + nested(17), true],
])('%s', (_name, text, expected) => {
  const isTooComplex = watchComplexity()
  const parts = Buffer.from(text)
  // Two parts, of which the first ends anywhere.
  const middle = Math.floor(parts.length / 2)
  const answers = [isTooComplex(parts.subarray(0, middle)), isTooComplex(parts.subarray(middle))]
  expect(answers.includes(true)).toBe(expected)
})

test('six megabytes of brackets are refused before they are parsed', async () => {
  const { token } = await context.add.user()
  const send = async () =>
    (await context.app).inject({
      method: 'POST',
      url: '/api/jobs/preview',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      payload: nested(2_900_000),
    })

  expect((await send()).json()).toMatchObject({ code: 'too_large' })
})

test('a client that leaves in the middle of its body is no fault of ours', async () => {
  const app = fastify()
  const failed = new Promise((resolve) => {
    app.setErrorHandler((error) => resolve(error))
  })
  parseJsonBodies(app)
  app.post('/', () => 'read')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{')
  await once(app.server, 'request')
  socket.destroy()

  expect(await failed).toMatchObject({ code: 'invalid_input' })
  await app.close()
})
