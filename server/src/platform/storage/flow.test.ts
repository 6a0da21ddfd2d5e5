import { once } from 'node:events'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { openFlow, throughFlow } from './flow.ts'

// R-1765
test('all who share a flow share its rate, and little passes at once', async () => {
  const flow = openFlow()
  const began = performance.now()
  await flow(1000)
  expect(performance.now() - began).toBeLessThan(1000)

  await Promise.all([flow(10e6), flow(10e6)])

  expect(performance.now() - began).toBeGreaterThan(390)
})

test('whoever leaves ends the stream behind the flow', async () => {
  const stream = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(1000)
    })(),
    { objectMode: false },
  )
  for await (const _ of throughFlow(stream, async () => {})) break
  await expect.poll(() => stream.destroyed).toBe(true)
})

test('an error of the stream is one of the flow', async () => {
  const stream = new Readable({ read: () => void stream.destroy(new Error('lost')) })
  await expect(throughFlow(stream, async () => {}).toArray()).rejects.toThrow('lost')
})

test('a stream that is ended before its first read ends the one behind it', async () => {
  const source = new Readable({ read() {} })
  throughFlow(source, async () => {}).destroy()
  await expect.poll(() => source.destroyed).toBe(true)
})

test('an error before the first read is one of the flow, and nobody else has to catch it', async () => {
  const source = new Readable({ read() {} })
  const out = throughFlow(source, async () => {})
  const failed = once(out, 'error')
  source.destroy(new Error('lost'))
  expect(await failed).toMatchObject([{ message: 'lost' }])
})

test('a stream that is ended while it waits for bytes ends the one behind it', async () => {
  const source = new Readable({ read() {} })
  const out = throughFlow(source, async () => {})
  const read = once(out, 'data')
  source.push('first')
  await read
  out.destroy()
  await expect.poll(() => source.destroyed).toBe(true)
})
