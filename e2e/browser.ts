import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { LaunchOptions } from '@playwright/test'

const TMP = join(import.meta.dirname, '../.tmp')

/** How to start the browser: on Linux x64 the one that came with `npm ci`, elsewhere Playwright's own. */
export async function browserOptions(): Promise<LaunchOptions> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return {}
  // Its own list of arguments is for another world: it turns the browser's security off.
  return { executablePath: await unpackedChromium(), args: ['--no-sandbox'] }
}

/** It unpacks once, and wholly or not at all: a half of it, left by a kill, would be taken for the browser. */
async function unpackedChromium(): Promise<string> {
  const home = join(TMP, 'chromium-153.0.0')
  const path = join(home, 'chromium')
  if (existsSync(path)) return path
  await mkdir(TMP, { recursive: true })
  const workshop = await mkdtemp(join(TMP, 'unpack-'))
  const before = process.env.TMPDIR
  // It unpacks into the folder for temporary files, and takes what lies there, whatever that is.
  process.env.TMPDIR = workshop
  try {
    const { default: chromium } = await import('@sparticuz/chromium')
    await chromium.executablePath()
    await rename(workshop, home).catch((error) => {
      if (!existsSync(path)) throw error // another run was faster
    })
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    await rm(workshop, { recursive: true, force: true })
  }
  return path
}
