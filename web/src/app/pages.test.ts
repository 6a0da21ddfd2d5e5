import { expect, test } from 'vitest'
import { pageAt } from './pages.ts'

test.each([
  ['/', '/dashboard'],
  ['/nowhere', '/dashboard'],
  ['/jobs', '/jobs'],
  ['/jobs/new', '/jobs/new'],
  ['/jobs/17', '/jobs/$id'],
  ['/instances/edit/3', '/instances/edit/$id'],
  ['/webhooks/3', '/settings/webhooks/$id'],
])('%s is an address of the page %s', (address, page) => {
  expect(pageAt(address)).toBe(page)
})
