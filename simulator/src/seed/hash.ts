import { createHash } from 'node:crypto'

/**
 * Returns the 32-bit seed of a token. All seeded data of a channel derives from this number. Its lowest bit says
 * whether the channel has odd groups, which tokens that begin with `test_odd` or `test_linked_odd` ask for.
 */
export function seedOf(token: string): number {
  const hash = createHash('sha256').update(token).digest().readUInt32BE(0)
  return ((hash & ~1) | (/^test_(linked_)?odd/.test(token) ? 1 : 0)) >>> 0
}

export const hasOddGroups = (seed: number) => (seed & 1) === 1

/**
 * Returns a well-spread 32-bit number for (seed, n). A cryptographic hash would be too slow: groups call this function
 * for every participant.
 */
export function mix(seed: number, n: number): number {
  let hash = Math.imul(seed + Math.imul(n, 0x9e3779b1), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  hash = Math.imul(hash ^ (hash >>> 16), 0x27d4eb2f)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** Returns the last `length` decimal digits of a number, padded with zeros. */
export function lastDigits(value: number, length: number): string {
  return String(value % 10 ** length).padStart(length, '0')
}
