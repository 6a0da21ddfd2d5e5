import { expect, test } from 'vitest'
import { readListSearch } from './list-search.ts'

test.each([
  ['nothing', {}, {}],
  ['default values', { page: 1, pageSize: 10, search: '' }, {}],
  [
    'other values',
    { page: 3, pageSize: 25, search: 'x', sortBy: 'name', sortDirection: 'asc' },
    { page: 3, pageSize: 25, search: 'x', sortBy: 'name', sortDirection: 'asc' },
  ],
  ['numbers as text', { page: '2', pageSize: '50' }, { page: 2, pageSize: 50 }],
  ['a search that is a number', { search: 84901 }, { search: '84901' }],
  ['invalid values', { page: -1, pageSize: 7, sortBy: 3, sortDirection: 'up', other: 1 }, {}],
])('an address with %s', (_, raw, read) => {
  expect(readListSearch(raw)).toEqual(read)
})
