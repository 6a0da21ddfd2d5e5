import { beforeEach, expect, test, vi } from 'vitest'
import { serve, textsOf } from '../../test/server.ts'

beforeEach(() => {
  vi.resetModules()
  serve({})
})

const start = async () => ({ i18n: await import('./i18n.ts'), i18next: (await import('i18next')).default })

//
test('only the texts of the shown language are loaded, once, from its file', async () => {
  const asked = vi.mocked(vi.fn(fetch))
  vi.stubGlobal('fetch', asked)
  const { i18n, i18next } = await start()
  await i18n.showLanguage('vi')
  expect(asked.mock.calls.map(([url]) => url)).toEqual(['/i18n/vi.json'])
  expect(i18next.t('HEADER.JOBS')).toBe(textsOf('vi').HEADER.JOBS)
  await i18n.showLanguage('cn')
  await i18n.showLanguage('vi')
  expect(asked.mock.calls.map(([url]) => url)).toEqual(['/i18n/vi.json', '/i18n/cn.json'])
})
