import { expect, test } from 'vitest'
import { errorWords } from './whapi-wire.ts'

test('an error that is cut inside an emoji is still a text that the database accepts', () => {
  const message = `${'x'.repeat(199)}😀 and more`
  const words = errorWords({ status: 400, json: { error: { message } }, text: '', headers: {} })

  expect(words).toHaveLength(200)
  expect(words.isWellFormed()).toBe(true)
})
