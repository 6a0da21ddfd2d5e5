/** Checks the width and the first word of comments. The formatter breaks code only, and texts stay whole. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './root.mjs'

const WIDTH = 120

/** A reader has to find first what these words mean. */
const VAGUE = /^(What|One|Who|Of|That|It)\b/

/**
 * Databases hold the checksums of applied migrations, so those from before this check can't change any more, and the
 * dumps of a schema repeat the comments in their functions.
 */
const isSettled = (file) =>
  /schema[^/]*\.sql$/.test(file) || (file.startsWith('server/migrations/') && basename(file) < '0041')

/** Returns one sentence per comment that is too wide or has no subject. `sources`: texts by file. */
export function commentMistakes(sources) {
  return Object.entries(sources)
    .filter(([file]) => !isSettled(file))
    .flatMap(([file, text]) => {
      const lines = text.split('\n').map((line) => line.trimEnd())
      return lines.flatMap((line, index) => {
        const place = `${file}:${index + 1}`
        const isWide = line.length > WIDTH && endsInComment(line, file.endsWith('.sql'))
        const [word] = firstWords(line, lines[index - 1] ?? '').match(VAGUE) ?? []
        return [
          ...(isWide ? [`${place} has a comment of ${line.length} columns, more than ${WIDTH}.`] : []),
          ...(word ? [`${place} begins with "${word}". Give the comment a subject.`] : []),
        ]
      })
    })
}

/** A comment of one word, such as a URL, can't be wrapped. */
function endsInComment(line, isSql) {
  if (/^\s*(\/\/|\/?\*+|--)\s+\S+\s/.test(line)) return true
  const code = line.replace(/(['"`])(?:\\.|(?!\1).)*\1/g, '')
  return (isSql ? /\s--\s/ : /\s\/[/*]\s?/).test(code)
}

/** Returns the text of a line that begins a comment, and an empty text for any other line. */
function firstWords(line, previous) {
  const [, sign, words = ''] = line.match(/^\s*(\/\/|--|\/\*\*?|\*)\s+(.*)/) ?? []
  const continues =
    sign === '*'
      ? !/^\s*\/\*\*?$/.test(previous)
      : ['//', '--'].includes(sign) && previous.trimStart().startsWith(sign)
  return continues ? '' : words
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
