/** Every command imports this file first, to fail with one clear sentence instead of a stack trace. */
import { existsSync } from 'node:fs'
import { root } from './root.mjs'

/** Returns the problem in one sentence, or null. */
function findProblem() {
  if (!existsSync(`${root}/node_modules/.package-lock.json`))
    return 'Sendroom is not installed yet. Run: npm ci'
  if (process.versions.node.startsWith('24.')) return null
  return (
    `Sendroom runs on Node 24, this is ${process.version}. Use npm start, npm test, npm run …; ` +
    'if you did, the npm package of Node 24 for this system is missing: run npm ci --include=optional, or install Node 24 yourself.'
  )
}

const problem = findProblem()
if (problem) {
  console.error(problem)
  process.exit(1)
}
