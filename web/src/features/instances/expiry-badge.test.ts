import { expect, test } from 'vitest'
import { expiryColor } from './expiry-badge.tsx'

test.each([
  [8, 'gray'],
  [7, 'yellow'],
  [4, 'yellow'],
  [3, 'orange'],
  [0, 'orange'],
  [-1, 'red'],
])('%i days left is %s', (days, color) => {
  expect(expiryColor(days)).toBe(color)
})
