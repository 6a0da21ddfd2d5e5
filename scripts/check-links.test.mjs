import { expect, test } from 'vitest'
import { linkMistakes } from './check-links.mjs'

const documents = {
  'README.md': '# Start\n\n## How fast?\n\n## How fast?\n\n### `npm run check` and [words](docs/a.md)\n',
  'docs/a.md': '# Gửi tin nhắn\n\n```sh\n# no heading\n```\n',
}
const paths = ['README.md', 'docs', 'docs/a.md', 'docs/picture.png']
const mistakesOf = (text, file = 'docs/b.md') =>
  linkMistakes({ ...documents, [file]: text }, (path) => paths.includes(path) || path === file)

test.each([
  '[a file](a.md)',
  '[a folder](../docs)',
  '![an image](picture.png)',
  '[an anchor](../README.md#start)',
  '[a repeated heading](../README.md#how-fast-1)',
  '[code and a link in a heading](../README.md#npm-run-check-and-words)',
  '[a heading with accents](a.md#gửi-tin-nhắn) and [encoded](a.md#g%E1%BB%ADi-tin-nh%E1%BA%AFn)',
  '# Here\n\n[in the same file](#here)',
  '[another site](https://example.com/none) and [mail](mailto:a@example.com)',
  'code: `[none](none.md)`\n\n```md\n[none](none.md)\n```',
])('%j has no broken link', (text) => {
  expect(mistakesOf(text)).toEqual([])
})

test.each([
  ['[gone](gone.md)', 'gone.md'],
  ['![gone](gone.png)', 'gone.png'],
  ['<img src="gone.png">', 'gone.png'],
  ['[here]: gone.md', 'gone.md'],
])('%j is a broken link', (text, target) => {
  expect(mistakesOf(`# B\n\n${text}`)).toEqual([`docs/b.md:3 links to ${target}, which does not exist.`])
})

test.each([
  ['../README.md#end', 'README.md'],
  ['a.md#no-heading', 'docs/a.md'],
  ['#end', 'docs/b.md'],
])('%s is a broken anchor', (target, linked) => {
  expect(mistakesOf(`[text](${target})`)).toEqual([
    `docs/b.md:1 links to ${target}, but ${linked} has no such heading.`,
  ])
})
