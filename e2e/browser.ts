import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { LaunchOptions } from '@playwright/test'

const TMP = join(import.meta.dirname, '../.tmp')

/** Launch options for the browser: on Linux x64 the one from `npm ci`, elsewhere Playwright's own. */
export async function browserOptions(): Promise<LaunchOptions> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return {}
  // The package's own arguments are meant for AWS Lambda and turn off the browser's security.
  return { executablePath: await unpackedChromium(), args: ['--no-sandbox'] }
}

/** Unpacks the browser once. The final rename is atomic, so a killed run leaves no incomplete browser behind. */
async function unpackedChromium(): Promise<string> {
  const home = join(TMP, 'chromium-153.0.0')
  const path = join(home, 'chromium')
  if (existsSync(path)) return path
  await mkdir(TMP, { recursive: true })
  const folder = await mkdtemp(join(TMP, 'unpack-'))
  const previousTmpdir = process.env.TMPDIR
  // The package unpacks into TMPDIR and would reuse any file that it finds there.
  process.env.TMPDIR = folder
  try {
    const { default: chromium } = await import('@sparticuz/chromium')
    await chromium.executablePath()
    await rename(folder, home).catch((error) => {
      if (!existsSync(path)) throw error // otherwise another run was faster
    })
  } finally {
    if (previousTmpdir === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = previousTmpdir
    await rm(folder, { recursive: true, force: true })
  }
  return path
}
