/**
 * npm start [-- server | worker | COMMAND]. npm start -- --help lists the commands.
 *
 * This file is plain JavaScript, so that an old Node can run it as far as the error message of preflight.mjs.
 */
import './preflight.mjs'
import module from 'node:module'
import { buildWebWhenStale } from './build-web.mjs'
import { compileCache } from './root.mjs'

// glibc keeps freed memory separately for each thread, which costs 9 MB, and raises its limit for giving memory back
// with each large block, which costs 20 MB after some large bodies. The variables only work at the start of a
// process, so the process replaces itself.
if (process.platform === 'linux' && process.env.MALLOC_ARENA_MAX === undefined) {
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, command, {
    MALLOC_TRIM_THRESHOLD_: '131072',
    ...process.env,
    MALLOC_ARENA_MAX: '1',
  })
}

// The cache saves later starts a quarter of their time and 20 MB. Without write access Node runs without a cache.
module.enableCompileCache(compileCache)
// Threads take it from here: each would load the compiler that strips types, which takes 15 MB.
process.env.NODE_COMPILE_CACHE ??= compileCache

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
