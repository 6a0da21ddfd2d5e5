import { isDeepStrictEqual } from 'node:util'
import { expect, type TaskMeta } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** How many cells of the access matrix a test has, and how many of them are wrong. For `npm run guards`. */
    cells?: { all: number; wrong: number }
  }
}

/** Expects each cell of the access matrix to have its value. */
export function expectCells<T>(
  { meta }: { meta: TaskMeta },
  answered: Record<string, T>,
  expected: Record<string, T>,
): void {
  const names = Object.keys(expected)
  const wrong = names.filter((name) => !isDeepStrictEqual(answered[name], expected[name]))
  meta.cells = { all: names.length, wrong: wrong.length }
  expect(answered).toEqual(expected)
}
