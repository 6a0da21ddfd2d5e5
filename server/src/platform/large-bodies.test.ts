import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as tick } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { limitLargeBodies } from './large-bodies.ts'

function open() {
  const begin = limitLargeBodies()
  const begun: string[] = []
  const refused: string[] = []
  return {
    begun,
    refused,
    send(name: string, userId: number) {
      const response = new EventEmitter()
      begin(userId, response as ServerResponse).then(
        // only its events are used
        () => begun.push(name),
        ({ code }) => refused.push(`${name} ${code}`),
      )
      return response
    },
  }
}

test('four requests run at a time, one of each user, and the others wait for their end', async () => {
  const { begun, send } = open()
  const [first] = [send('a1', 1), send('a2', 1), send('b1', 2), send('c1', 3), send('d1', 4), send('e1', 5)]
  await tick()
  expect(begun).toEqual(['a1', 'b1', 'c1', 'd1'])

  first?.emit('finish')
  first?.emit('close')
  await tick()
  expect(begun).toEqual(['a1', 'b1', 'c1', 'd1', 'a2'])
})

test('a client that leaves frees its place, even while it waits', async () => {
  const { begun, refused, send } = open()
  const [first, waiting] = [send('a1', 1), send('a2', 1), send('a3', 1)]
  waiting?.emit('close')
  first?.emit('close')
  await tick()

  expect(begun).toEqual(['a1', 'a3'])
  expect(refused).toEqual(['a2 unavailable'])
})

test('a user may let five wait, so that nobody takes the places of all', async () => {
  const { begun, refused, send } = open()
  for (let n = 1; n <= 25; n++) send(`a${n}`, 1)
  send('b1', 2)
  await tick()

  expect(begun).toEqual(['a1', 'b1'])
  expect(refused).toHaveLength(19)
  expect(refused[0]).toBe('a7 too_many_requests')
})

test('a request is refused while twenty others wait', async () => {
  const { begun, refused, send } = open()
  for (let user = 1; user <= 5; user++) for (let n = 1; n <= 6; n++) send(`${user}.${n}`, user)
  await tick()

  expect(begun).toEqual(['1.1', '2.1', '3.1', '4.1'])
  expect(refused).toHaveLength(6)
  expect(refused[0]).toBe('5.1 unavailable')
})
