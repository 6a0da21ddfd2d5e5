/** How many bytes does a browser load for the login page? Run `npm run build` first. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { printTable } from './table.ts'

const dist = join(import.meta.dirname, '../../web/dist')
if (!existsSync(join(dist, 'index.html'))) throw new Error('The web app is not built: npm run build')

const page = readFileSync(join(dist, 'index.html'), 'utf8')
const loaded = [...page.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map((match) => match[1] ?? '')
const kilobytes = (extension: string) =>
  loaded
    .filter((file) => file.endsWith(extension))
    .reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0) / 1000

printTable('Loaded by the page itself, kB gzip', [
  { kind: 'JavaScript', size: kilobytes('.js'), budget: 140 },
  { kind: 'CSS', size: kilobytes('.css'), budget: 12 },
])
