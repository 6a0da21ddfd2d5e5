import { describe, expect, test } from 'vitest'
import { useContext } from '../../test/context.ts'

const context = useContext()

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
  expect(headers['content-security-policy']).toContain("default-src 'self'")
})

describe('with an https URL', () => {
  const secure = useContext({ env: { PUBLIC_URL: 'https://send.example' } })

  test('pages ask the browser for https, without subdomains', async () => {
    const app = await secure.app
    const { headers } = await app.inject('/login')
    expect(headers['strict-transport-security']).toBe('max-age=31536000')
  })
})
