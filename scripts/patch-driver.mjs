/**
 * After `npm ci`: mends the PostgreSQL driver. What a connection had in hand when it was lost stays with it, and a query
 * that meets it after the reconnect never gets an answer, or a wrong one (porsager/postgres#1193, #1208, open). To go
 * when a release resets a closed connection.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'

const VERSION = '3.4.9'
const folder = join(root, 'node_modules/postgres')
const file = join(folder, 'src/connection.js')

const changes = [
  // A write that waits for its turn belongs to the old socket: left there, nothing is ever written to the new one.
  [
    `    clearImmediate(nextWriteTimer)
    if (socket) {`,
    `    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null
    if (socket) {`,
  ],
  [
    `    clearImmediate(nextWriteTimer)
    socket.removeListener('data', data)`,
    `    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = errorResponse = null
    socket.removeListener('data', data)`,
  ],
  // Whoever waits for an answer learns of the loss, also who came between the error and the end.
  [
    `    if (initial)
      return reconnect()

    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))`,
    `    if (initial && options.host[retries + 1])
      return reconnect()

    ;(initial || query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))
    query = results = final = null
    result = new Result()
    rows = 0`,
  ],
]

const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
if (version !== VERSION)
  throw new Error(`scripts/patch-driver.mjs is for postgres ${VERSION}, not ${version}.`)
// A new file in its place: others may have hard links to the old one.
writeFileSync(`${file}.new`, changes.reduce(mend, readFileSync(file, 'utf8')))
renameSync(`${file}.new`, file)

function mend(source, [before, after]) {
  if (source.includes(after)) return source
  if (!source.includes(before))
    throw new Error(`scripts/patch-driver.mjs does not find its place in ${file}.`)
  return source.replace(before, after)
}
