import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'

const context = useSharedContext()

async function send(contentType: string, payload: string) {
  const { token } = await context.add.user()
  const headers = { authorization: `Bearer ${token}`, 'content-type': contentType }
  const answer = await (await context.app).inject({
    method: 'POST',
    url: '/api/messages/with-file',
    headers,
    payload,
  })
  return { status: answer.statusCode, code: answer.json().code }
}

const form = 'multipart/form-data; boundary=x'
const field = '--x\r\nContent-Disposition: form-data; name="textContent"\r\n\r\nHello'
const file = '--x\r\nContent-Disposition: form-data; name="imageFile"; filename="a.png"\r\n\r\nabc'

test.each([
  ['no boundary', 'multipart/form-data', field],
  ['no parts', form, ''],
  ['other text', form, 'Hello'],
  ['another boundary', form, field.replace('--x', '--y')],
  ['a field without an end', form, field],
  ['a file without an end', form, `${field}\r\n${file}`],
  ['a damaged header', form, '--x\r\nContent-Disposition\r\n\r\nHello\r\n--x--\r\n'],
])('a form with %s is refused', async (_what, contentType, payload) => {
  const { status, code } = await send(contentType, payload)

  expect(status).toBe(400)
  expect(['form_damaged', 'invalid_input']).toContain(code)
})

test('a form with twenty thousand values of a field is read in a moment', async () => {
  const value = '--x\r\nContent-Disposition: form-data; name="groupIds"\r\n\r\nx\r\n'

  expect((await send(form, `${value.repeat(19_999)}--x--\r\n`)).status).toBe(400)
})
