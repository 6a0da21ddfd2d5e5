import { normalize } from '@sendroom/contract/search-text'
import { expect, test } from 'vitest'
import { searches } from '../../../contract/test/searches.ts'
import { findOptions } from './search.ts'

//
test.each(searches)('%j typed, %j stored: %s', (typed, stored, isFound) => {
  expect(normalize(stored).includes(normalize(typed))).toBe(isFound)

  const options = [{ value: '1', label: stored, disabled: false }]
  expect(findOptions({ options, search: typed, limit: 9 })).toHaveLength(isFound ? 1 : 0)
})
