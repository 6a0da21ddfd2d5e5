/**
 * Prints a software bill of materials in CycloneDX: what the server and the web app are made of, from the lock file.
 * With `--omit=dev` npm 11 leaves out react, which tests use too, so libraries of tests are listed as well.
 * npm adds a random number and the time, which would make each run differ. Both are optional, so they are left out.
 */
import { execFileSync } from 'node:child_process'
import { root } from './root.mjs'

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const workspaces = ['server', 'contract', 'simulator', 'web'].map((name) => `--workspace=${name}`)
const options = ['--sbom-format=cyclonedx', '--package-lock-only', ...workspaces]
const text = execFileSync(npm, ['sbom', ...options], {
  cwd: root,
  maxBuffer: 1 << 26,
  shell: process.platform === 'win32',
})
const { serialNumber: _number, ...bom } = JSON.parse(text)
const { timestamp: _time, ...metadata } = bom.metadata
// npm takes the name from the folder.
metadata.component.name = 'sendroom'
process.stdout.write(`${JSON.stringify({ ...bom, metadata }, null, 2)}\n`)
