/** Checks the width of comments, which the formatter leaves alone. It breaks code, and texts stay whole. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './root.mjs'

const WIDTH = 120

/** Databases hold the checksums of applied migrations, so these files can't change any more. */
const isMigration = (file) => file.startsWith('server/migrations/')

/** Returns one sentence per line that is too long and ends in a comment. `sources`: texts by file. */
export function commentMistakes(sources) {
  return Object.entries(sources)
    .filter(([file]) => !isMigration(file))
    .flatMap(([file, text]) =>
      text
        .split('\n')
        .map((line, index) => ({ line: line.trimEnd(), place: `${file}:${index + 1}` }))
        .filter(({ line }) => line.length > WIDTH && endsInComment(line, file.endsWith('.sql')))
        .map(({ line, place }) => `${place} has a comment of ${line.length} columns, more than ${WIDTH}.`),
    )
}

/** A comment of one word, such as a URL, can't be wrapped. */
function endsInComment(line, isSql) {
  if (/^\s*(\/\/|\/?\*+|--)\s+\S+\s/.test(line)) return true
  const code = line.replace(/(['"`])(?:\\.|(?!\1).)*\1/g, '')
  return (isSql ? /\s--\s/ : /\s\/[/*]\s?/).test(code)
}

function main() {
  const files = globSync('**/*.{ts,tsx,mjs,cjs,js,sql,css}', {
    cwd: root,
    exclude: (path) => ['node_modules', '.tmp', 'data', 'dist', 'test-results'].includes(basename(path)),
  })
  const mistakes = commentMistakes(
    Object.fromEntries(
      files.map((file) => [file.replaceAll('\\', '/'), readFileSync(join(root, file), 'utf8')]),
    ),
  )
  for (const mistake of mistakes) console.error(mistake)
  process.exitCode = mistakes.length === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
