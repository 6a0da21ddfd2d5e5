import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'

type Chunk = { name?: string; file: string; css?: string[]; imports?: string[] }

const KB = 1000
const root = join(import.meta.dirname, '../..')
const folder = join(root, 'web/dist')
let manifest: Record<string, Chunk> = {}

beforeAll(() => {
  const script = join(root, 'scripts/build-web.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'))
}, 300_000)

/** The files of these entries and of all their static imports. */
function filesOf(entries: string[], found = new Set<Chunk>()): string[] {
  for (const entry of entries) {
    // Chunks that vite.config.ts groups are listed by their group's name.
    const chunk = manifest[entry] ?? Object.values(manifest).find(({ name }) => name === entry)
    if (!chunk) throw new Error(`There is no ${entry} in the build.`)
    if (found.has(chunk)) continue
    found.add(chunk)
    filesOf(chunk.imports ?? [], found)
  }
  return [...new Set([...found].flatMap(({ file, css = [] }) => [file, ...css]))]
}

const gzipped = (files: string[], type: string) =>
  files
    .filter((file) => file.endsWith(type))
    .reduce((sum, file) => sum + statSync(join(folder, `${file}.gz`)).size, 0)

const login = ['index.html', 'start']
const dashboard = [...login, 'shell']
const list = [...dashboard, 'src/features/instances/instances-page.tsx']

test('the login loads at most 140 kB of JavaScript and 12 kB of CSS', () => {
  expect(gzipped(filesOf(login), '.js')).toBeLessThan(140 * KB)
  expect(gzipped(filesOf(login), '.css')).toBeLessThan(12 * KB)
})

test('a list page loads at most 192 kB of JavaScript in total', () => {
  expect(gzipped(filesOf(list), '.js')).toBeLessThan(192 * KB)
})

test('each page consists of only a few files', () => {
  expect(filesOf(login).length).toBeLessThan(6)
  expect(filesOf(dashboard).length).toBeLessThan(8)
  expect(filesOf(list).length).toBeLessThan(14)
})

test('neither the login nor a list loads the schemas', () => {
  const code = filesOf(list)
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
  expect(code.some((text) => text.includes('ZodError'))).toBe(false)
})
