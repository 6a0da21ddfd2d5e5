import { expect, test } from 'vitest'
import { reasonText } from './reasons.ts'

//
test.each(['constructor', 'toString', '__proto__', 'no such reason'])(
  'the inner reason %s stays as it is',
  (why) => {
    const code = 'account_waits'
    expect(reasonText({ code, params: { why } })).toBe(`The account is waiting: ${why}`)
  },
)
