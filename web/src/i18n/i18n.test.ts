import { beforeEach, expect, test, vi } from 'vitest'
import { serve, textsOf } from '../../test/server.ts'

beforeEach(() => {
  vi.resetModules()
  serve({})
})

const start = async () => ({ i18n: await import('./i18n.ts'), i18next: (await import('i18next')).default })

//
test('only the texts of the current language are loaded, and only once', async () => {
  const fetched = vi.mocked(vi.fn(fetch))
  vi.stubGlobal('fetch', fetched)
  const { i18n, i18next } = await start()
  await i18n.showLanguage('vi')
  expect(fetched.mock.calls.map(([url]) => url)).toEqual(['/i18n/vi.json'])
  expect(i18next.t('HEADER.JOBS')).toBe(textsOf('vi').HEADER.JOBS)
  await i18n.showLanguage('cn')
  await i18n.showLanguage('vi')
  expect(fetched.mock.calls.map(([url]) => url)).toEqual(['/i18n/vi.json', '/i18n/cn.json'])
})
