import { expect, onTestFinished, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { picture, tiles } from '../../../test/pictures.ts'
import { sql } from '../database/sql.ts'
import { openUploads } from './uploads.ts'

const context = useContext()

/** The uploads, with a store of an image that notes how each upload ended. `users` are two users' ids. */
async function open() {
  const users = [(await context.add.user()).id, (await context.add.user()).id] as const
  const uploads = openUploads(context.db, context.images)
  onTestFinished(uploads.stop)
  const finished: string[] = []
  const store = (name: string, userId: number, bytes: Buffer, signal = new AbortController().signal) =>
    uploads.store({ bytes, caller: { id: userId, apiKey: null }, signal }).then(
      () => finished.push(name),
      (error) => finished.push(`${name} ${error.code}`),
    )
  return { uploads, store, finished, users }
}

//
test('users take turns, so that one with many images delays another by one, however small the files are', async () => {
  const { store, finished, users } = await open()
  const [ann, bob] = users
  const [large, small] = [await tiles(1000, 1000), await picture()]

  await Promise.all([
    ...['a1', 'a2', 'a3', 'a4'].map((name) => store(name, ann, large)),
    store('b1', bob, small),
  ])

  // Which of one user's images is first is not promised: each looks for the room of its user before it waits.
  expect(finished).toHaveLength(5)
  expect(finished.slice(0, 2)).toContain('b1')
})

//
test('a user may let five images wait, and more are refused', async () => {
  const { store, finished, users } = await open()
  const bytes = await picture()

  await Promise.all(Array.from({ length: 8 }, (_, n) => store(String(n), users[0], bytes)))

  expect(finished.filter((name) => name.endsWith('too_many_requests'))).toHaveLength(2)
  expect(await context.db.many(sql`select from images`)).toHaveLength(6)
})

test('a stop refuses what runs and what waits, and stores nothing more', async () => {
  const { uploads, store, finished, users } = await open()
  const bytes = await tiles(4000, 4000)
  const all = Promise.all([store('first', users[0], bytes), store('second', users[1], bytes)])

  await uploads.stop()
  await all

  expect(finished.sort()).toEqual(['first unavailable', 'second unavailable'])
  expect(await context.db.many(sql`select from images`)).toHaveLength(0)
})
