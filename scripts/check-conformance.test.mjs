import { expect, test } from 'vitest'
import { readRequirements, testMistakes } from './check-conformance.mjs'

const table = (...rows) => ['| number | what is required |', '|---|---|', ...rows].join('\n')
const read = (...rows) => readRequirements({ 'api.md': table(...rows) })

test('every row of a table is a requirement', () => {
  const { requirements, mistakes } = read('| R-1 | One \\| or two. |', '| R-2 | Three. |')
  expect(mistakes).toEqual([])
  expect([...requirements]).toEqual([
    ['R-1', 'api.md:3'],
    ['R-2', 'api.md:4'],
  ])
})

test.each([['| R-1 |  |'], ['| R-1 | one | two |'], ['R-1 one'], ['| 1 | one |']])(
  'the line %j is not a row',
  (row) => {
    expect(read(row).mistakes).toEqual([`api.md:3 is not a row | R-1 | … |: ${row}`])
  },
)

test('a number that is listed twice is a mistake', () => {
  expect(read('| R-1 | One. |', '| R-1 | Two. |').mistakes).toEqual([
    'api.md:4 lists R-1 again, after api.md:3.',
  ])
})

test('a requirement needs a comment that names its number', () => {
  const { requirements } = read('| R-1 | One. |', '| R-2 | Two. |', '| R-3 | Three. |')
  const sources = { 'a.test.ts': '// R-1, R-2\ntest(…)', 'b.test.ts': "  // R-9\n'R-3 in a text'" }
  expect(testMistakes(requirements, sources)).toEqual([
    'b.test.ts names R-9, which is not a requirement.',
    'R-3 has no test.',
  ])
})
