import { expect, test } from 'vitest'
import { isWithin } from './addresses.ts'

// R-2008
test.each([
  ['203.0.113.7', [], true],
  ['203.0.113.7', ['203.0.113.7'], true],
  ['203.0.113.8', ['203.0.113.7'], false],
  ['203.0.113.8', ['198.51.100.1', '203.0.113.0/24'], true],
  ['203.0.114.8', ['203.0.113.0/24'], false],
  ['::ffff:203.0.113.8', ['203.0.113.0/24'], true],
  ['203.0.113.8', ['::ffff:203.0.113.8'], true],
  ['203.0.113.8', ['::ffff:203.0.113.0/120'], true],
  ['203.0.114.8', ['::ffff:203.0.113.0/120'], false],
  ['203.0.113.8', ['::/0'], false],
  ['2001:db8::7', ['2001:db8::/32'], true],
  ['2001:db8::7', ['2001:0DB8:0:0:0:0:0:7'], true],
  ['2001:db9::7', ['2001:db8::/32'], false],
  ['fe80::1%eth0', ['fe80::/10'], true],
  ['203.0.113.8', ['2001:db8::/32'], false],
  ['2001:db8::7', ['0.0.0.0/0'], false],
  ['', ['0.0.0.0/0'], false],
  ['unknown', ['0.0.0.0/0'], false],
  ['203.0.113.8', ['not an address'], false],
])('%s is permitted by %j: %s', (address, allowed, permitted) => {
  expect(isWithin(address, allowed)).toBe(permitted)
})
