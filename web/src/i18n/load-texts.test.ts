import { expect, test, vi } from 'vitest'
import { loadTexts } from './load-texts.ts'

test('texts are fetched once, and again after a failure', async () => {
  const fetch = vi.fn().mockRejectedValueOnce(new TypeError('Failed to fetch'))
  fetch.mockResolvedValue(Response.json({ COMMON: {} }))
  vi.stubGlobal('fetch', fetch)
  await expect(loadTexts('cn')).rejects.toThrow('Failed to fetch')
  expect(await Promise.all([loadTexts('cn'), loadTexts('cn')])).toEqual([{ COMMON: {} }, { COMMON: {} }])
  expect(fetch).toHaveBeenCalledTimes(2)
})

// R-2175
test('a refusal is not taken for texts', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ code: 'unavailable' }, { status: 503 }))
  await expect(loadTexts('vi')).rejects.toThrow('503')
})
