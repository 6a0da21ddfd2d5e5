import { describe, expect, test } from 'vitest'
import { useWorld } from '../../test/world.ts'

const world = useWorld()

async function read(url: string) {
  const app = await world.app
  const { statusCode, headers } = await app.inject(url)
  return { status: statusCode, type: String(headers['content-type']) }
}

test('a page is the app whatever was searched for on it, an unknown file is not there', async () => {
  const page = await read('/messages')
  // Without a build there are no pages at all.
  expect(await read('/messages?search=shop.example')).toEqual(page)
  expect(await read('/login?returnUrl=%2Fjobs%3Fsearch%3Dv1.5')).toEqual(page)
  expect(await read('/nothing.js')).toMatchObject({ status: 404 })
  expect(await read('/nothing.js?v=1')).toMatchObject({ status: 404 })
})

test('pages tell the browser what they may load', async () => {
  const app = await world.app
  const { headers } = await app.inject('/login')
  expect(headers['content-security-policy']).toContain("default-src 'self'")
})

describe('reached over https', () => {
  const secure = useWorld({ env: { PUBLIC_URL: 'https://send.example' } })

  test('a page asks the browser to stay with it, and nothing of the names below its own', async () => {
    const app = await secure.app
    const { headers } = await app.inject('/login')
    expect(headers['strict-transport-security']).toBe('max-age=31536000')
  })
})
