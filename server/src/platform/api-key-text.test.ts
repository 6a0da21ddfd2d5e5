import { expect, test } from 'vitest'
import { hashOfKey, isApiKey, isWellFormed, newApiKey } from './api-key-text.ts'

// R-2009
test('a key has a prefix, 32 random bytes in base62, and a checksum that a scanner can check', () => {
  const keys = Array.from({ length: 200 }, newApiKey)
  for (const { secret, start, tokenHash } of keys) {
    expect(secret).toMatch(/^sendroom_[0-9A-Za-z]{49}$/)
    expect(isApiKey(secret) && isWellFormed(secret)).toBe(true)
    expect(start).toBe(secret.slice(0, 13))
    expect(tokenHash).toEqual(hashOfKey(secret))
  }
  expect(new Set(keys.map(({ secret }) => secret)).size).toBe(200)
})

// R-2009
test('a known key keeps its checksum', () => {
  expect(isWellFormed(`sendroom_${'0'.repeat(43)}2CZclj`)).toBe(true)
})

// R-2009
test('a key with any other character is none', () => {
  const { secret } = newApiKey()
  for (let at = 0; at < secret.length; at++) {
    const other = secret[at] === 'x' ? 'y' : 'x'
    expect(isWellFormed(`${secret.slice(0, at)}${other}${secret.slice(at + 1)}`), secret).toBe(false)
  }
  for (const text of ['', 'sendroom_', secret.slice(0, -1), `${secret}0`, `${secret}\n`])
    expect(isWellFormed(text)).toBe(false)
})
