import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SRC = join(import.meta.dirname, '..')
const STYLES = join(import.meta.dirname, '../../../node_modules/@mantine/core/styles')

test('each component of Mantine that is used has its styles', () => {
  const imported = readFileSync(join(import.meta.dirname, 'component-styles.ts'), 'utf8')
  const used = globSync('**/*.tsx', { cwd: SRC }).flatMap((file) => {
    const [, names = ''] =
      /import \{([^}]*)\} from '@mantine\/core'/.exec(readFileSync(join(SRC, file), 'utf8')) ?? []
    return names.match(/\b[A-Z]\w+/g) ?? []
  })
  const styled = [...new Set(used)].filter((name) => existsSync(join(STYLES, `${name}.layer.css`)))
  expect(styled.length).toBeGreaterThan(20)
  expect(styled.filter((name) => !imported.includes(`/${name}.layer.css`))).toEqual([])
})
