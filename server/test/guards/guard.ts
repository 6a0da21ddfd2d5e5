import type { Change } from '../source-changes.ts'

/** A protection of the API, and the change of the source that removes it. */
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
