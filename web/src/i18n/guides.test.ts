import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { textsOf } from '../../test/server.ts'

const guides = [
  ['en', 'docs/operators/guide.md'],
  ['vi', 'docs/operators/guide.vi.md'],
] as const

const pathOf = (file: string) => join(import.meta.dirname, '../../..', file)

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found)

const allTexts = (tree: object): string[] =>
  Object.values(tree).flatMap((value) => (typeof value === 'string' ? [value] : allTexts(value)))

// In the guides bold means a name on the screen.
test.each(guides)('the bold names of the %s guide are texts of the app', (language, file) => {
  const names = matches(readFileSync(pathOf(file), 'utf8'), /\*\*(.+?)\*\*/g)
  const texts = new Set(allTexts(textsOf(language)))
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !texts.has(name))).toEqual([])
})

test.each(guides)('the pictures of the %s guide exist', (_, file) => {
  const pictures = matches(readFileSync(pathOf(file), 'utf8'), /!\[.+?\]\((.+?)\)/g)
  expect(pictures.length).toBeGreaterThan(10)
  expect(pictures.filter((picture) => !existsSync(join(dirname(pathOf(file)), picture)))).toEqual([])
})
