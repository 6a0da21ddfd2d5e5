import { expect, test } from 'vitest'
import { paths } from '../paths.ts'
import { pageAt } from './pages.ts'

test.each([
  ['/', paths.dashboard],
  ['/nowhere', paths.dashboard],
  ['/jobs', paths.jobs],
  ['/jobs/new', paths.newJob],
  ['/jobs/17', paths.job],
  ['/instances/edit/3', paths.editInstance],
])('%s is an address of the page %s', (address, page) => {
  expect(pageAt(address)).toBe(page)
})
