import { expect, test } from 'vitest'
import { newSecret, stepOf } from './codes.ts'

// R-1922
test.each(['ð»"%ty', '１２３４５６', '12345', ''])('%o is no code, and no error', (code) => {
  expect(stepOf(newSecret(), code, 0)).toBeNull()
})
