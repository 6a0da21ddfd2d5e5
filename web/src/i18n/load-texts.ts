// This file must not import i18next: `main.ts` runs it while i18next is still loading.
import { type Language, languages } from '@sendroom/contract/languages'
import { storage } from '../storage.ts'

export { type Language, languages }

const STORED = 'lang'

export const isLanguage = (text: string | null): text is Language =>
  languages.some((language) => language === text)

export const storeLanguage = (language: Language) => storage.setItem(STORED, language)

/** The language the user chose. The default is vi on the login page and en in the app. */
export function storedLanguage(place: 'login' | 'app'): Language {
  const stored = storage.getItem(STORED)
  if (isLanguage(stored)) return stored
  return place === 'login' ? 'vi' : 'en'
}

type Texts = Record<string, unknown>
const loading = new Map<Language, Promise<Texts>>()

/** The texts of a language. Fetched once, however often this is called; a failed fetch is repeated. */
export function loadTexts(language: Language): Promise<Texts> {
  const texts = loading.get(language) ?? fetchTexts(language)
  loading.set(language, texts)
  texts.catch(() => loading.delete(language))
  return texts
}

async function fetchTexts(language: Language): Promise<Texts> {
  const response = await fetch(`/i18n/${language}.json`)
  // The JSON of a refusal would show the names of the texts in place of all texts.
  if (!response.ok) throw new Error(`${response.status}`)
  return await response.json()
}
