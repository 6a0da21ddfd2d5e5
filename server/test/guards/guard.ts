import type { Change } from '../source-changes.ts'

/**
 * A protection of the API, and the change of the source that removes it. Most guards are a condition in SQL or within a
 * function. A replaced export would be a copy of the function without that piece, which drifts unnoticed. A piece of
 * source that no longer fits fails at once (guards.test.ts).
 */
export type Guard = {
  name: string
  changes: Change[]
  /** The tests that must fail without the guard, if not the access matrix. */
  tests?: string
  /** A regular expression for the names of the tests to run: those that concern the guard. */
  only?: string
  /** Guards that are removed at once: for each of these, a test whose name begins so must fail. */
  each?: string[]
}

export const platform = 'server/src/platform'
export const features = 'server/src/features'

export const without = (
  name: string,
  file: string,
  from: string,
  to: string,
  more: Partial<Guard> = {},
): Guard => ({
  name,
  changes: [{ file, from, to }],
  ...more,
})
