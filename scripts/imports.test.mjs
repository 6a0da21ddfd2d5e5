import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandOf, root } from './root.mjs'

/** Each rule has a forbidden import: [rule, importing file, imported file]. The test writes a tree of these files. */
const forbidden = [
  ['contract-stays-in-its-room', 'contract/src/jobs.ts', 'server/src/app.ts'],
  ['contract-imports-only-zod', 'contract/src/jobs.ts', 'node_modules/fastify/index.js'],
  ['simulator-stays-in-its-room', 'simulator/src/index.ts', 'contract/src/jobs.ts'],
  ['simulator-only-for-test-mode', 'server/src/providers/whapi.ts', 'simulator/src/index.ts'],
  ['server-stays-in-its-room', 'server/src/app.ts', 'web/src/address.ts'],
  ['web-stays-in-its-room', 'web/src/address.ts', 'server/src/app.ts'],
  ['e2e-stays-in-its-room', 'e2e/journey.test.ts', 'server/src/app.ts'],
  [
    'server-features-stay-apart',
    'server/src/features/jobs/jobs.service.ts',
    'server/src/features/users/users.queries.ts',
  ],
  ['web-features-stay-apart', 'web/src/features/jobs/jobs-page.tsx', 'web/src/features/users/users-page.tsx'],
  ['server-app-import-downwards', 'server/src/app.ts', 'server/src/main.ts'],
  ['server-features-import-downwards', 'server/src/features/jobs/jobs.routes.ts', 'server/src/app.ts'],
  [
    'server-engine-import-downwards',
    'server/src/engine/sending/claim.ts',
    'server/src/features/jobs/jobs.service.ts',
  ],
  ['engine-shared-imports-downwards', 'server/src/engine/shared/pace.ts', 'server/src/engine/jobs/create.ts'],
  ['server-platform-import-downwards', 'server/src/platform/http.ts', 'server/src/providers/provider.ts'],
  ['web-ui-import-downwards', 'web/src/ui/modal.tsx', 'web/src/api/client.ts'],
  ['web-leaves-import-downwards', 'web/src/address.ts', 'web/src/ui/modal.tsx'],
  [
    'queries-import-downwards',
    'server/src/features/jobs/jobs.queries.ts',
    'server/src/features/jobs/jobs.service.ts',
  ],
  [
    'service-import-downwards',
    'server/src/features/jobs/jobs.service.ts',
    'server/src/features/jobs/jobs.routes.ts',
  ],
  ['only-the-provider-port', 'server/src/features/jobs/jobs.service.ts', 'server/src/providers/whapi.ts'],
  ['engine-by-its-index', 'server/src/features/jobs/jobs.service.ts', 'server/src/engine/sending/claim.ts'],
  ['http-stays-in-the-routes', 'server/src/engine/sending/claim.ts', 'node_modules/fastify/index.js'],
  ['driver-only-in-the-database', 'server/src/features/jobs/jobs.queries.ts', 'node_modules/pg/index.js'],
  ['tests-are-imported-by-tests', 'server/src/app.ts', 'server/test/context.ts'],
  ['no-cycles', 'web/src/ui/modal.tsx', 'web/src/ui/toast.tsx'],
  ['every-import-is-found', 'web/src/ui/badge.tsx', 'web/src/ui/misspelt.tsx'],
]

const allowed = [
  ['contract/src/session.ts', 'node_modules/zod/index.js'],
  ['server/src/app.ts', 'server/src/features/groups/groups.routes.ts'],
  ['server/src/app.ts', 'contract/src/session.ts'],
  ['server/src/features/groups/groups.routes.ts', 'server/src/features/groups/groups.queries.ts'],
  ['server/src/features/groups/groups.routes.ts', 'server/src/engine/index.ts'],
  ['server/src/features/groups/groups.routes.test.ts', 'server/test/context.ts'],
  ['server/src/engine/sending/claim.ts', 'server/src/engine/shared/pace.ts'],
  ['server/src/providers/test-mode.ts', 'simulator/src/state/state.ts'],
  ['server/src/platform/database/connection.ts', 'node_modules/pg/index.js'],
  ['web/src/ui/badge.tsx', 'web/src/format.ts'],
  ['web/src/features/groups/groups-page.tsx', 'web/src/lists/data-table.tsx'],
]

const workspaces = ['contract', 'simulator', 'server', 'web', 'e2e', 'bench']

/** Returns the violations as 'rule: importing file → imported file', and the number of modules read. */
async function cruise(folder, places = workspaces) {
  const args = ['--config', join(root, '.dependency-cruiser.cjs'), '--output-type', 'json', ...places]
  const report = await new Promise((resolve) =>
    execFile(
      process.execPath,
      [commandOf('dependency-cruiser'), ...args],
      { cwd: folder, maxBuffer: Number.POSITIVE_INFINITY },
      (_error, stdout) => resolve(JSON.parse(stdout)), // the exit code is the number of violations
    ),
  )
  const { violations, totalCruised } = report.summary
  return { found: violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`), totalCruised }
}

describe('a tree of forbidden imports', () => {
  const tree = mkdtempSync(join(tmpdir(), 'sendroom-imports-'))
  let found

  beforeAll(async () => {
    const cycle = ['web/src/ui/toast.tsx', 'web/src/ui/modal.tsx']
    const edges = [...forbidden.map(([, from, to]) => [from, to]), cycle, ...allowed]
    for (const file of edges.flat()) if (!file.includes('misspelt')) write(file, edges)
    mkdirSync(join(tree, 'bench'))
    found = (await cruise(tree)).found
  })
  afterAll(() => rmSync(tree, { recursive: true }))

  /** Writes a file with type-only imports, which must count as imports too. */
  function write(file, edges) {
    const up = '../'.repeat(file.split('/').length - 1)
    const imports = edges
      .filter(([from]) => from === file)
      .map(([, to], i) => `import type { A as A${i} } from './${up}${to}'`)
    const uses = imports.map((_, i) => `A${i}`).join(' | ') || 'string'
    const text = file.startsWith('node_modules/')
      ? 'export const A = 1'
      : `${imports.join('\n')}\nexport type A = ${uses}`
    mkdirSync(dirname(join(tree, file)), { recursive: true })
    writeFileSync(join(tree, file), `${text}\n`)
  }

  test.each(forbidden)('%s: %s must not import %s', (rule, from, to) => {
    expect(found).toContainEqual(
      expect.stringMatching(new RegExp(`^${rule}: ${from} → (\\./|\\.\\./)*${to}$`)),
    )
  })

  test.each(allowed)('%s may import %s', (from, to) => {
    expect(found.filter((line) => line.endsWith(`: ${from} → ${to}`))).toEqual([])
  })
})

// With an unknown TypeScript version dependency-cruiser reads no module and reports no violation.
test('the check reads the modules of the real tree', async () => {
  const { totalCruised } = await cruise(root, ['contract'])
  expect(totalCruised).toBeGreaterThan(20)
})
