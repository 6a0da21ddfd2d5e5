import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { useSharedContext } from './context.ts'

const context = useSharedContext({ env: { PUBLIC_URL: 'https://send.example' } })

/** Sends the path as it is. */
async function headersOf(method: string, path: string) {
  const port = await context.listen()
  return new Promise<NodeJS.Dict<string | string[]>>((resolve, reject) => {
    const sent = request({ port, method, path }, (answer) => resolve(answer.resume().headers))
    sent.on('error', reject).end()
  })
}

//
test.each([
  ['a page', 'GET', '/'],
  ['a call', 'GET', '/api/jobs'],
  ['an unknown call', 'GET', '/api/nothing'],
  ['a webhook', 'POST', '/api/webhooks/whapi/unknown'],
  ['a malformed path', 'GET', '/api/jobs/%'],
])('the answer to %s has the security headers', async (_, method, path) => {
  expect(await headersOf(method, path)).toMatchObject({
    'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'strict-transport-security': expect.stringContaining('max-age='),
  })
})

//
describe('with an https address, cookies are secure although the proxy does not say https', () => {
  test('of the page', async () => {
    const { cookies } = await (await context.app).inject({ url: '/' })
    for (const { secure } of cookies) expect(secure).toBe(true)
  })
  test('of the sign-in', async () => {
    await context.add.user({ username: 'lan', password: 'secret-1' })
    const { cookies, statusCode } = await (await context.app).inject({
      method: 'POST',
      url: '/api/auth/login',
      payload: { username: 'lan', password: 'secret-1' },
    })
    expect(statusCode).toBe(200)
    expect(cookies.length).toBeGreaterThan(0)
    for (const { secure } of cookies) expect(secure).toBe(true)
  })
})
