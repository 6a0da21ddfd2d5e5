import { expect, test } from 'vitest'
import { limitWaiting } from './group-commit.ts'

const nothing = async () => {}

test('only so many entries wait, but a call that waits alone may have more', async () => {
  const whileFew = limitWaiting(2)
  const { promise, resolve } = Promise.withResolvers<void>()
  const large = whileFew(3, () => promise)
  await expect(whileFew(1, nothing)).rejects.toMatchObject({ code: 'unavailable' })
  resolve()
  await large

  await Promise.all([whileFew(1, nothing), whileFew(1, nothing)])
})

test('a call that failed waits no more', async () => {
  const whileFew = limitWaiting(2)
  const failed = whileFew(2, () => Promise.reject(new Error('The database is gone')))
  await expect(failed).rejects.toThrow('gone')

  await whileFew(2, nothing)
})
