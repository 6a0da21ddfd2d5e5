import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { sql } from '../src/platform/database/sql.ts'
import { hashPassword } from '../src/platform/passwords.ts'
import { useContext } from './context.ts'

const context = useContext({ env: { PUBLIC_URL: 'https://send.example' } })

/** Sends the path as it is. */
async function headersOf(method: string, path: string) {
  const app = await context.app
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo // listening on TCP
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
    const { id } = await context.add.user({ username: 'lan' })
    const app = await context.app
    await context.db.run(sql`
      update users set password_hash = ${await hashPassword('secret-1')} where id = ${id}`)
    const { cookies, statusCode } = await app.inject({
      method: 'POST',
      url: '/api/auth/login',
      payload: { username: 'lan', password: 'secret-1' },
    })
    expect(statusCode).toBe(200)
    expect(cookies.length).toBeGreaterThan(0)
    for (const { secure } of cookies) expect(secure).toBe(true)
  })
})
