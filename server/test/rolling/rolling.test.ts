import { expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { replaceAll } from './replace-all.ts'

// `npm run rolling` does the same with 5,000 recipients.
test('two servers and three workers are replaced one by one, no request fails, and each message is sent once', {
  timeout: 420_000,
}, async () => {
  const { address, drop } = await createTestDatabase('template0')
  await using _ = { [Symbol.asyncDispose]: drop }

  const { violations } = await replaceAll(address, 400)

  expect(violations).toEqual([])
})
