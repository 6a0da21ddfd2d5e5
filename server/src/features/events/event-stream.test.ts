import { expect, test } from 'vitest'
import { until } from '../../../test/until.ts'
import { openEventStream } from './event-stream.ts'

test('a client that does not read is dropped before it takes much memory', async () => {
  let isClosed = false
  const stream = openEventStream(() => {
    isClosed = true
  })
  stream.begin()
  for (let id = 0; id < 100_000; id++) stream.send([{ feature: 'jobs', id }])

  await until('it is closed', () => isClosed)
  expect(stream.source.readableLength).toBeLessThan(70_000)
})

test('a client that does not read is dropped soon after the end of the stream', async () => {
  let isClosed = false
  const stream = openEventStream(() => {
    isClosed = true
  })
  stream.begin()
  stream.end()
  stream.send([{ feature: 'jobs', id: 1 }]) // no-op after the end

  await until('it is closed', () => isClosed)
})
