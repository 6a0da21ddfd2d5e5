import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyChanges } from '../source-changes.ts'
import { guards } from './guards.ts'

const ROOT = join(import.meta.dirname, '../../..')

// `npm run guards` takes many minutes, so a change of the source that makes a guard unfit, or leaves a piece
// that does not parse, must be noticed here.
test.each(guards)('$name can still be removed', ({ changes }) => {
  for (const { file } of changes) {
    const source = readFileSync(join(ROOT, file), 'utf8')
    const changed = applyChanges(changes, join(ROOT, file), source)
    expect(changed).not.toBe(source)
    expect(() => stripTypeScriptTypes(changed), 'what is left is no TypeScript').not.toThrow()
  }
})
