import { expect, test } from 'vitest'
import { commentMistakes } from './check-comments.mjs'

const words = 'word '.repeat(24).trim()

test.each([
  ['a.ts', `// ${words}`],
  ['a.ts', `   * ${words}`],
  ['a.tsx', `/** ${words} */`],
  ['a.ts', `const a = 'a' // ${words}`],
  ['a.ts', `    -- ${words}`],
  ['a.sql', `select 1 -- ${words}`],
  ['a.css', `/* ${words} */`],
])('%s: %s is too long', (file, line) => {
  expect(commentMistakes({ [file]: `first\n${line}` })).toEqual([
    `${file}:2 has a comment of ${line.length} columns, more than 120.`,
  ])
})

test.each([
  ['a.ts', `// ${words}`.slice(0, 120)],
  ['a.ts', `const a = '${words} // and https://example.com'`],
  ['a.ts', `const a = \`${words} -- it’s no comment\``],
  ['a.ts', `// https://example.com/${'a'.repeat(120)}`],
  ['a.sql', `select '${words} -- no comment'`],
  ['server/migrations/0001-first.sql', `-- ${words}`],
  ['server/schema.sql', `-- ${words}`],
])('%s: %s may stay', (file, line) => {
  expect(commentMistakes({ [file]: line })).toEqual([])
})

test.each([
  ['/** What the user sees. */', 1],
  ['// Of the calls.', 1],
  ['  /**\n   * It ends.\n   */', 2],
  ['/** A job. */\n/** It ends. */', 2],
  ['  -- One spelling.', 1],
])('%j has no subject', (text, line) => {
  expect(commentMistakes({ 'a.ts': text })).toEqual([
    `a.ts:${line} begins with "${text.match(/What|Of|It|One/)[0]}". Give the comment a subject.`,
  ])
})

test.each([
  '// A job ends.\n// It stays.',
  '-- A job ends.\n-- It stays.',
  '/**\n * A job ends.\n * It stays.\n */',
  '/** Whatever happens, a job ends. */',
  "const a = '// What'",
])('%j has a subject', (text) => {
  expect(commentMistakes({ 'a.ts': text })).toEqual([])
})
