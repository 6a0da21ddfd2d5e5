import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
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
    send(name: string, userId: number, response = new Writable()) {
      begin(userId, response as unknown as ServerResponse).then(
        // only its end is used
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

  first?.end()
  await tick()
  expect(begun).toEqual(['a1', 'b1', 'c1', 'd1', 'e1'])
})

test('a client that leaves frees its place, even while it waits', async () => {
  const { begun, refused, send } = open()
  const [first, waiting] = [send('a1', 1), send('a2', 1), send('a3', 1)]
  waiting?.destroy()
  await tick()
  first?.destroy()
  await tick()

  expect(begun).toEqual(['a1', 'a3'])
  expect(refused).toEqual(['a2 unavailable'])
})

test('a client that left before it had a place keeps none', async () => {
  const { begun, send } = open()
  const gone = new Writable().destroy()
  await tick()
  send('gone', 1, gone)
  await tick()
  send('a1', 1)
  await tick()
  expect(begun).toContain('a1')
})

test('a user may let five wait, and all users together twenty', async () => {
  const { begun, refused, send } = open()
  for (let n = 1; n <= 7; n++) send(`1.${n}`, 1)
  for (let user = 2; user <= 4; user++) for (let n = 1; n <= 6; n++) send(`${user}.${n}`, user)
  send('5.1', 5)
  await tick()

  expect(begun).toEqual(['1.1', '2.1', '3.1', '4.1'])
  expect(refused).toEqual(['1.7 too_many_requests', '4.6 unavailable'])
})
