/**
 * Checks the links of all Markdown documents. A linked file, folder or image must exist, and an anchor must be a
 * heading of the document it points to. Links to other sites are not fetched.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './root.mjs'

/** Returns one sentence per broken link. `documents`: texts by file. `exists`: whether the repository has this path. */
export function linkMistakes(documents, exists) {
  return Object.entries(documents).flatMap(([file, text]) =>
    linksIn(text).flatMap(({ target, line }) => {
      const [path, anchor] = decodeURI(target).split('#')
      const linked = path === '' ? file : posix.normalize(posix.join(posix.dirname(file), path))
      if (!exists(linked)) return [`${file}:${line} links to ${target}, which does not exist.`]
      if (anchor === undefined || anchorsIn(documents[linked] ?? '').has(anchor)) return []
      return [`${file}:${line} links to ${target}, but ${linked} has no such heading.`]
    }),
  )
}

/** Returns the targets of links and images, without those that begin with a protocol such as https: */
function linksIn(text) {
  return withoutCode(text)
    .split('\n')
    .flatMap((content, index) =>
      [...content.matchAll(/\]\(\s*<?([^\s)>]+)|\b(?:src|href)="([^"]+)"|^\[[^\]]+\]:\s*(\S+)/g)].map(
        ([, inline, html, reference]) => ({ target: inline ?? html ?? reference, line: index + 1 }),
      ),
    )
    .filter(({ target }) => !/^[a-z][a-z+.-]*:/i.test(target))
}

/** Returns the anchors that GitHub gives to the headings. A repeated heading gets a number. */
function anchorsIn(text) {
  const anchors = new Set()
  for (const [, heading] of withoutFences(text).matchAll(/^#{1,6}\s+(.+?)[\s#]*$/gm)) {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    let unique = anchor
    for (let n = 1; anchors.has(unique); n += 1) unique = `${anchor}-${n}`
    anchors.add(unique)
  }
  return anchors
}

/** Empties code, so that line numbers stay. */
const withoutCode = (text) => withoutFences(text).replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '')
const withoutFences = (text) =>
  text.replace(/^( *)(```+|~~~+).*\n[\s\S]*?^ *\2.*$/gm, (block) => block.replace(/[^\n]/g, ''))

function main() {
  const files = globSync('**/*.md', {
    cwd: root,
    exclude: (path) => ['node_modules', '.tmp', 'data', 'dist', 'test-results'].includes(basename(path)),
  })
  const documents = Object.fromEntries(
    files.map((file) => [file.replaceAll('\\', '/'), readFileSync(join(root, file), 'utf8')]),
  )
  const mistakes = linkMistakes(documents, (path) => existsSync(join(root, path)))
  for (const mistake of mistakes) console.error(mistake)
  process.exitCode = mistakes.length === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
