/**
 * Compares docs/conformance with the tests. Every requirement must have a test that names its number in a comment,
 * `// R-214`, and no test may name an unknown number. See docs/conformance.md.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './root.mjs'

const HEADER = '| number | what is required |'
const tests = ['*/{src,test}/**/*.test.{ts,tsx}', 'e2e/**/*.spec.ts']

/** Returns the place (`file:line`) of each requirement, and a sentence per mistake. `documents`: texts by file. */
export function readRequirements(documents) {
  const requirements = new Map()
  const mistakes = []
  for (const [file, text] of Object.entries(documents)) {
    for (const [index, line] of text.split('\n').entries()) {
      const isRow = line.startsWith('|') && line !== HEADER && !/^[|: -]+$/.test(line)
      if (!isRow && !/^\s*\|?\s*R-\d/.test(line)) continue
      const place = `${file}:${index + 1}`
      const [before, number, what, after, ...more] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
      const isComplete = before === '' && what && after === '' && more.length === 0
      if (!isComplete || !/^R-\d+$/.test(number)) mistakes.push(`${place} is not a row | R-1 | … |: ${line}`)
      else if (requirements.has(number))
        mistakes.push(`${place} lists ${number} again, after ${requirements.get(number)}.`)
      else requirements.set(number, place)
    }
  }
  return { requirements, mistakes }
}

/** Returns one sentence per requirement without a test and per unknown number. `sources`: texts by file. */
export function testMistakes(requirements, sources) {
  const tested = new Set()
  const mistakes = []
  for (const [file, text] of Object.entries(sources)) {
    for (const number of new Set(numbersIn(text))) {
      if (requirements.has(number)) tested.add(number)
      else mistakes.push(`${file} names ${number}, which is not a requirement.`)
    }
  }
  const untested = [...requirements.keys()].filter((number) => !tested.has(number))
  return [...mistakes, ...untested.map((number) => `${number} has no test.`)]
}

/** Returns the numbers in comments such as `// R-214, R-215`. */
const numbersIn = (text) =>
  [...text.matchAll(/\/\/ (R-\d+.*)/g)].flatMap(([, comment]) => comment.match(/\bR-\d+\b/g) ?? [])

function textsOf(pattern) {
  const files = globSync(pattern, { cwd: root, exclude: ['**/node_modules'] })
  return Object.fromEntries(
    files.map((file) => [file.replaceAll('\\', '/'), readFileSync(join(root, file), 'utf8')]),
  )
}

function main() {
  const { requirements, mistakes } = readRequirements(textsOf('docs/conformance/*.md'))
  const all = [...mistakes, ...testMistakes(requirements, textsOf(tests))]
  for (const mistake of all) console.error(mistake)
  console.log(`requirements: ${requirements.size}, ${all.length} mistakes`)
  process.exitCode = all.length === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
