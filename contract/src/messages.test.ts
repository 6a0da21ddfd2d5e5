import { expect, test } from 'vitest'
import { limits } from './limits.ts'
import { NewMessage } from './messages.ts'

//
test('CR LF from a multipart form is normalized before the length is checked', () => {
  const typed = 'a\n'.repeat(limits.messageText / 2)
  const read = NewMessage.parse({ textContent: typed.replaceAll('\n', '\r\n') })
  expect(read.textContent).toBe(typed)
})
