/**
 * What Lighthouse says of the login and the dashboard on a phone, as served: built, brotli. It is fetched by npx when
 * it is first asked for: 180 MB are too much for everybody's `npm ci`. Needs the web app built (`npm run build`).
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { browserOptions } from '../../e2e/browser.ts'
import { Sendroom } from '../../e2e/sendroom.ts'
