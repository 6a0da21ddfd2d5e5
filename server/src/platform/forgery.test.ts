import cookie from '@fastify/cookie'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../test/context.ts'
import { setForgeryCookie } from './forgery.ts'

const context = useSharedContext()

/** Returns the cookie that a page sets. */
async function cookieOf(headers: Record<string, string>) {
  const app = fastify({ trustProxy: 'loopback' })
  await app.register(cookie)
  app.get('/', async (request, reply) => {
    setForgeryCookie(request, reply)
    return 'page'
  })
  const [found] = (await app.inject({ url: '/', headers })).cookies
  return found
}

//
test('a page sets a cookie that scripts can read, Secure with https', async () => {
  const plain = await cookieOf({})

  expect(plain).toMatchObject({ name: 'XSRF-TOKEN', path: '/', sameSite: 'Lax' })
  expect(plain?.value).toMatch(/^[\w-]{20,}$/)
  expect(plain).not.toHaveProperty('secure')
  expect(plain).not.toHaveProperty('httpOnly')
  expect(await cookieOf({ 'x-forwarded-proto': 'https' })).toMatchObject({ secure: true })
  expect(await cookieOf({ cookie: 'XSRF-TOKEN=abc' })).toBeUndefined()
})

test.each(['/api/jobs/%s/cancel', '/%%61pi/jobs/%s/cancel'])(
  //
  'with the cookie, what changes something has to repeat it in its header: %j',
  async (address) => {
    const { token } = await context.add.admin()
    const { id } = await context.add.job()
    const cancel = async (header: Record<string, string>) =>
      (
        await (
          await context.app
        ).inject({
          method: 'POST',
          url: address.replace('%s', String(id)).replace('%%', '%'),
          headers: { authorization: `Bearer ${token}`, cookie: 'XSRF-TOKEN=abc', ...header },
        })
      ).json()

    expect(await cancel({})).toMatchObject({ code: 'forgery' })
    expect(await cancel({ 'x-xsrf-token': 'abd' })).toMatchObject({ code: 'forgery' })
    expect(await cancel({ 'x-xsrf-token': 'abc' })).toMatchObject({ status: 'Cancelled' })
  },
)

//
test('reading calls and webhooks need no header', async () => {
  const { token } = await context.add.admin()
  const headers = { authorization: `Bearer ${token}`, cookie: 'XSRF-TOKEN=abc' }
  const status = async (method: 'GET' | 'HEAD' | 'POST', url: string) =>
    (await (await context.app).inject({ method, url, headers })).statusCode

  expect(await status('GET', '/api/jobs')).toBe(200)
  expect(await status('HEAD', '/api/jobs')).toBe(200)
  expect(await status('POST', '/api/webhooks/whapi/1.guessed')).toBe(404)
})
