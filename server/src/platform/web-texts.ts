import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Language } from '@sendroom/contract/languages'

const FOLDER = join(import.meta.dirname, '../../../web/public/i18n')

const loaded: Partial<Record<Language, unknown>> = {}

/**
 * Returns the texts of the web app, of which the caller names those it uses, so that the page and what leaves the
 * server say the same. A check compares the languages' keys.
 */
export function webTexts<Texts>(language: Language): Texts {
  loaded[language] ??= JSON.parse(readFileSync(join(FOLDER, `${language}.json`), 'utf8'))
  return loaded[language] as Texts
}
