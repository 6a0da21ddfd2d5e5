import { expect, test } from 'vitest'
import { passwordFits } from './passwords.ts'

test('too many checks at once are refused, and the first in the queue does not wait for the others', async () => {
  let strangers = 0
  const check = () =>
    passwordFits('wrong', null).then(() => {
      strangers += 1
    })
  const checks = Array.from({ length: 102 }, check)

  await expect(async () => check()).rejects.toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 5 })
  expect(await passwordFits('wrong', null, { isFirst: true })).toBe(false)

  expect(strangers).toBeLessThan(10)
  await Promise.all(checks)
  expect(strangers).toBe(102)
})
