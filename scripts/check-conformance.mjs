/**
 * Holds docs/conformance against the tests: every requirement has a test that names its number, `[R-214]`, and no
 * test names a number that is not there. See docs/conformance.md.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './root.mjs'

const HEADER = '| number | what is required | where |'
const tests = ['*/{src,test}/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs', 'e2e/**/*.spec.ts']

/** The numbers that a title, or a whole source, carries. */
const numbersIn = (text) => [...text.matchAll(/\[(R-\d+)\]/g)].map(([, number]) => number)

/**
 * The requirements by their numbers, and what is wrong with the tables, a sentence each.
 * `documents`: the text of each file by its name. `exists`: whether the project has that file or folder.
 */
export function readRequirements(documents, exists) {
  const requirements = new Map()
  const mistakes = []
  for (const [file, text] of Object.entries(documents)) {
    for (const [index, line] of text.split('\n').entries()) {
      const isRow = line.startsWith('|') && line !== HEADER && !/^[|: -]+$/.test(line)
      if (!isRow && !/^\s*\|?\s*\[?R-\d/.test(line)) continue
      const place = `${file}:${index + 1}`
      const [before, number, what, where, after, ...more] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
      const isWhole = before === '' && what && where && after === '' && more.length === 0
      if (!isWhole || !/^R-\d+$/.test(number)) mistakes.push(`${place} is no row | R-1 | … | … |: ${line}`)
      else if (requirements.has(number))
        mistakes.push(`${place} lists ${number} again, after ${requirements.get(number)}.`)
      else {
        requirements.set(number, place)
        mistakes.push(...placeMistakes(where, exists).map((mistake) => `${place} ${mistake}`))
      }
    }
  }
  return { requirements, mistakes }
}

function placeMistakes(where, exists) {
  const paths = [...where.matchAll(/`([^`]+)`/g)].map(([, path]) => path)
  if (paths.length === 0) return ['does not say in which `file` or `folder`.']
  return paths.filter((path) => !exists(path)).map((path) => `names ${path}, which is not there.`)
}

/** What the tests' sources (a text by its file) leave out or name wrongly, a sentence each. */
export function testMistakes(requirements, sources) {
  const mistakes = []
  const tested = new Set()
  for (const [file, text] of Object.entries(sources)) {
    const numbers = new Set(numbersIn(text))
    for (const number of numbers) {
      if (requirements.has(number)) tested.add(number)
      else mistakes.push(`${file} names ${number}, which is no requirement.`)
    }
    for (const [loose] of text.matchAll(/(?<!\[)\bR-\d+|\[R-\d+(?![\d\]])/g))
      mistakes.push(`${file} names ${loose}, which counts only as [R-…].`)
  }
  const untested = without(requirements, tested).map((number) => `${number} has no test.`)
  return { tested, mistakes: [...mistakes, ...untested] }
}

/** The numbers that are not among `others`. */
export const without = (requirements, others) =>
  [...requirements.keys()].filter((number) => !others.has(number))

export function requirementsLine(requirements, proven, by) {
  const count = requirements.size - without(requirements, proven).length
  return `requirements: ${requirements.size} ${count === requirements.size ? '=' : '≠'} ${count} with ${by}`
}

/** The numbers of the tests that passed, by Vitest's JSON report. */
export const provenByVitest = ({ testResults }) =>
  testResults
    .flatMap((file) => file.assertionResults)
    .filter((test) => test.status === 'passed')
    .flatMap((test) => numbersIn(test.fullName))

/** The same by Playwright's. A suite is a file or a `describe`, whose title holds for all that is in it. */
export const provenByPlaywright = (suites, outside = []) =>
  suites.flatMap(({ title, specs, suites: inner = [] }) => {
    const around = [...outside, ...numbersIn(title)]
    const passed = specs.filter((spec) => spec.tests.every((test) => test.status === 'expected'))
    return [
      ...passed.flatMap((spec) => [...around, ...numbersIn(spec.title)]),
      ...provenByPlaywright(inner, around),
    ]
  })

/** The requirements as the project's documents list them. */
export const projectRequirements = () =>
  readRequirements(textsOf('docs/conformance/*.md'), (path) => existsSync(join(root, path)))

function textsOf(pattern) {
  const files = globSync(pattern, { cwd: root, exclude: ['**/node_modules'] })
  return Object.fromEntries(
    files.map((file) => [file.replaceAll('\\', '/'), readFileSync(join(root, file), 'utf8')]),
  )
}

function main() {
  const { requirements, mistakes } = projectRequirements()
  const found = testMistakes(requirements, textsOf(tests))
  const all = [...mistakes, ...found.mistakes]
  for (const mistake of all) console.error(mistake)
  console.log(requirementsLine(requirements, found.tested, 'a test'))
  process.exitCode = all.length === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
