import { expect, test } from 'vitest'
import {
  provenByPlaywright,
  provenByVitest,
  readRequirements,
  requirementsLine,
  testMistakes,
  without,
} from './check-conformance.mjs'

/** Put together, so that no number of these fixtures counts as one of the project's. */
const R = (n) => `R-${n}`
const titled = (...numbers) => `test('${numbers.map((n) => `[${R(n)}]`).join(' ')} it works', () => {})`

const head = ['# Jobs', '', '| number | what is required | where |', '|---|---|---|']
const row = (n, what = 'a thing', where = '`server/src`') => `| ${R(n)} | ${what} | ${where} |`
const read = (...rows) =>
  readRequirements({ 'a.md': [...head, ...rows].join('\n') }, (path) => path === 'server/src')
const numbers = (...n) => new Map(n.map((one) => [R(one), 'a.md:5']))

test('a table without rows holds no requirements, and is in order', () => {
  const { requirements, mistakes } = read()
  expect([...requirements]).toEqual([])
  expect(mistakes).toEqual([])
})

test('the rows of all documents are read, a bar inside a cell too', () => {
  const { requirements, mistakes } = readRequirements(
    {
      'a.md': [...head, row(1), '', `Text that refers to ${R(7)}.`, row(2, 'asc \\| desc')].join('\n'),
      'b.md': row(3, 'a thing', '`server/src`, `server/src`'),
    },
    () => true,
  )
  expect([...requirements]).toEqual([
    [R(1), 'a.md:5'],
    [R(2), 'a.md:8'],
    [R(3), 'b.md:1'],
  ])
  expect(mistakes).toEqual([])
})

test.each([
  ['a cell too few', `| ${R(1)} | a thing |`],
  ['a cell too many', '| R | a | thing | `server/src` |'.replace('R', R(1))],
  ['an empty cell', `| ${R(1)} |  | \`server/src\` |`],
  ['no closing bar', `| ${R(1)} | a thing | \`server/src\``],
  ['no opening bar', `${R(1)} | a thing | \`server/src\` |`],
  ['a misspelt number', '| R1 | a thing | `server/src` |'],
  ['two numbers', `| ${R(1)}, ${R(2)} | a thing | \`server/src\` |`],
  ['another header', '| number | requirement | where |'],
])('a row with %s is a mistake', (_, line) => {
  expect(read(line).mistakes).toEqual([`a.md:5 is no row | ${R(1)} | … | … |: ${line}`])
})

test('a number that is listed twice is a mistake', () => {
  expect(read(row(1), row(1, 'another')).mistakes).toEqual([`a.md:6 lists ${R(1)} again, after a.md:5.`])
})

test.each([
  ['nowhere', 'server', 'a.md:5 does not say in which `file` or `folder`.'],
  ['where nothing is', '`server/src`, `gone.ts`', 'a.md:5 names gone.ts, which is not there.'],
])('a requirement fulfilled %s is a mistake', (_, where, mistake) => {
  expect(read(row(1, 'a thing', where)).mistakes).toEqual([mistake])
})

test('a title may carry several numbers, and several files may carry one', () => {
  const sources = { 'a.test.ts': titled(1, 2), 'b.spec.ts': `${titled(1)}\n${titled(3)}` }
  expect(testMistakes(numbers(1, 2, 3), sources).mistakes).toEqual([])
})

test.each([
  ['a requirement without a test', titled(1), `${R(2)} has no test.`],
  ['a test with an unknown number', titled(1, 2, 12), `a.test.ts names ${R(12)}, which is no requirement.`],
  [
    'a number without brackets',
    `${titled(1, 2)} // ${R(2)}`,
    `a.test.ts names ${R(2)}, which counts only as [R-…].`,
  ],
  [
    'two numbers in one pair of brackets',
    `${titled(1, 2)} // [${R(1)}, x]`,
    `a.test.ts names [${R(1)}, which counts only as [R-…].`,
  ],
])('%s is a mistake', (_, text, mistake) => {
  expect(testMistakes(numbers(1, 2), { 'a.test.ts': text }).mistakes).toEqual([mistake])
})

test('the line says how many there are and how many are proven', () => {
  const two = numbers(1, 2)
  expect(requirementsLine(two, new Set([R(1), R(2), R(9)]), 'a test')).toBe('requirements: 2 = 2 with a test')
  expect(requirementsLine(two, new Set([R(2)]), 'a passing test')).toBe(
    'requirements: 2 ≠ 1 with a passing test',
  )
  expect(without(two, new Set([R(2)]))).toEqual([R(1)])
})

test("by Vitest's report only what passed is proven", () => {
  const result = (n, status) => ({ fullName: `jobs [${R(n)}] it works`, status })
  const files = [
    [result(1, 'passed'), result(2, 'failed')],
    [result(3, 'skipped'), result(41, 'passed')],
  ]
  const report = { testResults: files.map((assertionResults) => ({ assertionResults })) }
  expect(provenByVitest(report)).toEqual([R(1), R(41)])
})

test("by Playwright's report only what passed at the first go is proven, for its suites too", () => {
  const spec = (n, ...statuses) => ({
    title: `[${R(n)}] it works`,
    tests: statuses.map((status) => ({ status })),
  })
  const inner = { title: `[${R(7)}] dark`, specs: [spec(4, 'expected'), spec(5, 'skipped')] }
  const failing = { title: `[${R(8)}] light`, specs: [spec(6, 'unexpected')] }
  const file = {
    title: 'a.spec.ts',
    specs: [spec(1, 'expected'), spec(2, 'flaky'), spec(3, 'expected', 'unexpected')],
    suites: [inner, failing],
  }
  expect(provenByPlaywright([file])).toEqual([R(1), R(7), R(4)])
})
