/**
 * Holds the languages against each other and against the code: the same keys and the same
 * {{placeholders}} in each, nothing empty, no key that is used and missing or there and unused.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './root.mjs'

const LANGUAGES = ['vi', 'en', 'cn']
const PLURAL = /_(zero|one|two|few|many|other)$/
/** What Intl calls our languages: each has plural forms of its own. */
const LOCALES = { vi: 'vi', en: 'en', cn: 'zh' }
/** A literal of this form is a key wherever it stands: in a table, in a message of the contract. */
const SHAPE = /^[A-Z][A-Z0-9_]*(\.[A-Z0-9_]+)+$/

/**
 * The mistakes, a sentence each.
 * `words`: for each language the (nested) translations. `code`: the sources that use them.
 */
export function translationMistakes(words, code) {
  const flat = Object.fromEntries(Object.entries(words).map(([language, tree]) => [language, flatten(tree)]))
  const keys = new Set(Object.values(flat).flatMap((texts) => Object.keys(texts)))
  return [...languageMistakes(flat, keys), ...usageMistakes(keys, code)]
}

function flatten(tree, prefix = '') {
  const entries = Object.entries(tree).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [[prefix + name, value]]
      : Object.entries(flatten(value, `${prefix}${name}.`)),
  )
  return Object.fromEntries(entries)
}

function* languageMistakes(flat, keys) {
  for (const key of keys) {
    const placeholders = new Set()
    for (const [language, texts] of Object.entries(flat)) {
      const text = texts[key]
      if (text === undefined && !needsForm(language, key)) continue
      if (text === undefined) yield `${language}: ${key} is missing.`
      else if (text.trim() === '') yield `${language}: ${key} is empty.`
      else placeholders.add(placeholdersOf(text))
    }
    if (placeholders.size > 1)
      yield `${key} has not the same placeholders in all languages: ${[...placeholders].join(' / ')}`
  }
}

function needsForm(language, key) {
  const form = PLURAL.exec(key)?.[1]
  const { pluralCategories } = new Intl.PluralRules(LOCALES[language]).resolvedOptions()
  return form === undefined || pluralCategories.includes(form)
}

function placeholdersOf(text) {
  const names = [...text.matchAll(/\{\{\s*([^},\s]+)[^}]*\}\}/g)].map(([, name]) => `{{${name}}}`)
  return [...new Set(names)].sort().join(' ') || 'none'
}

function* usageMistakes(keys, code) {
  const known = new Set([...keys].flatMap((key) => [key, key.replace(PLURAL, '')]))
  const literals = new Set([...code.matchAll(/(['"`])([\w.-]+)\1/g)].map(([, , text]) => text))
  const called = [...code.matchAll(/\b(?:t\(\s*|i18nKey=)(['"`])([\w.-]*[A-Za-z0-9])\1/g)].map(
    ([, , key]) => key,
  )
  const shaped = [...literals].filter((text) => SHAPE.test(text))
  for (const key of new Set([...called, ...shaped])) {
    if (!known.has(key)) yield `${key} is used and not translated.`
  }
  // `STATUS.${status}` and 'STATUS.' + status use all keys that begin so.
  const prefixes = [...code.matchAll(/[`'"]([A-Za-z0-9_.]+[._])(?:\$\{|['"])/g)].map(([, prefix]) => prefix)
  for (const key of keys) {
    const isUsed = literals.has(key) || literals.has(key.replace(PLURAL, ''))
    if (!isUsed && !prefixes.some((prefix) => key.startsWith(prefix)))
      yield `${key} is translated and not used.`
  }
}

function sourcesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .map((file) => readFileSync(join(root, folder, file), 'utf8'))
}

function main() {
  const wordsOf = (language) =>
    JSON.parse(readFileSync(join(root, `web/public/i18n/${language}.json`), 'utf8'))
  const words = Object.fromEntries(LANGUAGES.map((language) => [language, wordsOf(language)]))
  const code = ['web/src', 'contract/src'].flatMap(sourcesIn).join('\n')
  const mistakes = translationMistakes(words, code)
  if (mistakes.length === 0) return
  console.error(mistakes.join('\n'))
  process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
