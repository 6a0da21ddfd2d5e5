import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useSharedContext } from '../../test/context.ts'

const context = useSharedContext()

async function read(url: string) {
  const app = await context.app
  const { statusCode, headers } = await app.inject(url)
  return { status: statusCode, type: String(headers['content-type']) }
}

test('every page is the app, whatever its query, and an unknown file is not found', async () => {
  const page = await read('/messages')
  // Compares with another page, because without a build no page is found.
  expect(await read('/messages?search=shop.example')).toEqual(page)
  expect(await read('/login?returnUrl=%2Fjobs%3Fsearch%3Dv1.5')).toEqual(page)
  expect(await read('/nothing.js')).toMatchObject({ status: 404 })
  expect(await read('/nothing.js?v=1')).toMatchObject({ status: 404 })
})

test('pages have a content security policy', async () => {
  const app = await context.app
  const { headers } = await app.inject('/login')
  const policy = String(headers['content-security-policy'])
  expect(policy.split(';')).toEqual(
    expect.arrayContaining([
      "default-src 'self'",
      "base-uri 'none'",
      "font-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "object-src 'none'",
    ]),
  )
  expect(headers['x-frame-options']).toBe('DENY')
  expect(policy).not.toContain('unsafe-inline')
  expect(policy).not.toContain('https:')
})

const isBuilt = existsSync(join(import.meta.dirname, '../../../web/dist/index.html'))

test.runIf(isBuilt)('each page has a new nonce for its style elements', async () => {
  const app = await context.app
  const nonceOf = async () => {
    const { body, headers } = await app.inject('/login')
    const [, nonce] = /<meta property="csp-nonce" nonce="([^"]+)"/.exec(body) ?? []
    expect(headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${nonce}'`)
    return nonce
  }

  expect(await nonceOf()).not.toBe(await nonceOf())
})

describe('with an https URL', () => {
  const secure = useSharedContext({ env: { PUBLIC_URL: 'https://send.example' } })

  test('pages ask the browser for https, without subdomains', async () => {
    const app = await secure.app
    const { headers } = await app.inject('/login')
    expect(headers['strict-transport-security']).toBe('max-age=31536000')
  })
})
