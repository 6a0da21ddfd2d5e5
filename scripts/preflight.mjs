/** Imported first by every command: says in one sentence what is missing, instead of a stack trace. */
import { existsSync } from 'node:fs'
import { root } from './root.mjs'

function missing() {
  if (!existsSync(`${root}/node_modules/.package-lock.json`))
    return 'Sendroom is not installed yet. Run: npm ci'
  if (process.versions.node.startsWith('24.')) return null
  return (
    `Sendroom runs on Node 24, this is ${process.version}. Use npm start, npm test, npm run …; ` +
    'if you did, install scripts were blocked: run npm ci --ignore-scripts=false.'
  )
}

const sentence = missing()
if (sentence) {
  console.error(sentence)
  process.exit(1)
}
