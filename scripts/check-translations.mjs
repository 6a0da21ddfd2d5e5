/**
 * Compares the languages with each other and with the code. All languages must have the same keys and {{placeholders}}
 * and no empty texts. The code must use every key, and no missing ones. Vietnamese and Chinese texts must have no
 * English words except those that docs/texts.md lists.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './root.mjs'

const LANGUAGES = ['vi', 'en', 'cn']
const PLURAL = /_(zero|one|two|few|many|other)$/
/** The locale of each language, which decides its plural forms. */
const LOCALES = { vi: 'vi', en: 'en', cn: 'zh' }
/** Names, units and formats that every language writes in English. `email`, `menu`, `tab` and `video` are loanwords. */
const INTERNATIONAL_WORDS = new Set(
  'Sendroom WhatsApp Whapi Channel QR API URL http https Webhook Excel CSV IP token test GMT JPEG PNG WebP GIF MB'
    .concat(' GB ms PostgreSQL chrony fsync email menu tab video QC AAC AMR Ogg Opus Google Maps')
    .toLowerCase()
    .split(' '),
)
/** A Vietnamese syllable without its accents: an initial consonant, one to three vowels, a final consonant. */
const VIETNAMESE_SYLLABLE =
  /^(ngh|ng|nh|ch|gh|gi|kh|ph|qu|th|tr|[bcdđghklmnpqrstvx])?[aeiouy]{1,3}(ch|ng|nh|[cmnpt])?$/
/** Any literal of this form is a key. Tables and the contract use keys without calling `t()`. */
const KEY_PATTERN = /^[A-Z][A-Z0-9_]*(\.[A-Z0-9_]+)+$/

/**
 * Returns the mistakes, one sentence each. `words`: the nested translations by language. `code`: the sources that use
 * them, as one text.
 */
export function translationMistakes(words, code) {
  const flat = Object.fromEntries(Object.entries(words).map(([language, tree]) => [language, flatten(tree)]))
  const keys = new Set(Object.values(flat).flatMap((texts) => Object.keys(texts)))
  return [...languageMistakes(flat, keys), ...englishWords(flat), ...usageMistakes(keys, code)]
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
      yield `${key} does not have the same placeholders in all languages: ${[...placeholders].join(' / ')}`
  }
}

function* englishWords({ vi, cn }) {
  for (const [language, texts, isOwn] of [
    ['vi', vi, (word) => VIETNAMESE_SYLLABLE.test(withoutAccents(word))],
    ['cn', cn, () => false],
  ])
    for (const [key, text] of Object.entries(texts))
      for (const word of latinWordsOf(text))
        if (!isOwn(word) && !INTERNATIONAL_WORDS.has(word.toLowerCase()))
          yield `${language}: ${key} has the English word “${word}”.`
}

/** Names of settings, files and formats such as MP4 and H.264 are no words. */
const latinWordsOf = (text) =>
  text
    .replace(/\{\{[^}]*\}\}|[A-Z]+(_[A-Z]+)+|[a-z]+[._][a-z]+|[A-Z]{1,2}\.?\d+[A-Z]?/g, ' ')
    .match(/[\p{Script=Latin}\p{M}]+/gu) ?? []

const withoutAccents = (word) => word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Whether a language needs a key. Plural keys are needed only for the plural forms that the language has. */
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
  const keyLiterals = [...literals].filter((text) => KEY_PATTERN.test(text))
  for (const key of new Set([...called, ...keyLiterals])) {
    if (!known.has(key)) yield `${key} is used and not translated.`
  }
  // `STATUS.${status}` and 'STATUS.' + status use every key that begins with STATUS.
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
