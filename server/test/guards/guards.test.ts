import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyChanges } from '../source-changes.ts'
import { guards } from './guards.ts'

const ROOT = join(import.meta.dirname, '../../..')

// `npm run guards` takes many minutes, so a change of the source that makes a guard unfit must be noticed here.
test.each(guards)('$name can still be removed', ({ changes }) => {
  for (const { file } of changes) {
    const source = readFileSync(join(ROOT, file), 'utf8')
    expect(applyChanges(changes, join(ROOT, file), source)).not.toBe(source)
  }
})
