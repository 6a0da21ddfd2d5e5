/**
 * npm start [-- server | worker | user reset-password NAME]
 *
 * Plain JavaScript, so that even an old Node can say what is wrong.
 */
import './preflight.mjs'
import module from 'node:module'
import { buildWebWhenStale } from './build-web.mjs'
import { compileCache } from './root.mjs'

// Later starts need not strip types again: a quarter of the time and 20 MB of memory. Where it can't write, nothing is lost.
module.enableCompileCache(compileCache)

const role = process.argv[2]
if (role === undefined || role === 'server') buildOrExit()
await import('../server/src/main.ts')

function buildOrExit() {
  try {
    buildWebWhenStale()
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
}
