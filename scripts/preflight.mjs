/** Every command imports this file first, to fail with one clear sentence instead of a stack trace. */
import { existsSync } from 'node:fs'
import { root } from './root.mjs'

/** Returns the problem in one sentence, or null. */
function findProblem() {
  if (!existsSync(`${root}/node_modules/.package-lock.json`))
    return 'The dependencies are not installed. Run: npm ci'
  if (process.versions.node.startsWith('24.')) return null
  return (
    `Sendroom needs Node 24, but this is ${process.version}. Use npm start, npm test or npm run, which bring their own. ` +
    'If you already do, the package of Node 24 for this system is missing. Run npm ci --include=optional, or install Node 24.'
  )
}

const problem = findProblem()
if (problem) {
  console.error(problem)
  process.exit(1)
}
