import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { clientSignal } from './client-signal.ts'

test.each([
  ['while its request is handled', false],
  ['before its request is handled, as during the look-up of its user', true],
])('the signal of a client that leaves %s aborts', async (_when, isGone) => {
  const app = fastify()
  const begun = Promise.withResolvers<void>()
  const signal = Promise.withResolvers<AbortSignal>()
  app.get('/', async (_request, reply) => {
    begun.resolve()
    if (isGone) await once(reply.raw, 'close')
    signal.resolve(clientSignal(reply))
    return reply.hijack()
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await begun.promise
  if (!isGone) await signal.promise

  client.destroy()

  const leaving = await signal.promise
  if (!leaving.aborted) await once(leaving, 'abort', { signal: AbortSignal.timeout(10_000) })
  expect(leaving.aborted).toBe(true)
  await app.close()
})

test('the signal of an answered client never aborts', async () => {
  const app = fastify()
  let signal: AbortSignal | undefined
  app.get('/', async (_request, reply) => {
    signal = clientSignal(reply)
    return 'done'
  })
  const answer = await fetch(await app.listen({ port: 0, host: '127.0.0.1' }))
  expect(await answer.text()).toBe('done')
  await app.close()
  expect(signal?.aborted).toBe(false)
})
