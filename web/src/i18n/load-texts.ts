/** What is needed before i18next is there: it runs while that is still on its way. */
export const languages = ['vi', 'en', 'cn'] as const
export type Language = (typeof languages)[number]

const STORED = 'lang'

export const isLanguage = (text: string | null): text is Language =>
  languages.some((language) => language === text)

export const storeLanguage = (language: Language) => localStorage.setItem(STORED, language)

/** The chosen language; without one the login greets in vi, the app in en. */
export function storedLanguage(place: 'login' | 'app'): Language {
  const stored = localStorage.getItem(STORED)
  if (isLanguage(stored)) return stored
  return place === 'login' ? 'vi' : 'en'
}

type Texts = Record<string, unknown>
const asked = new Map<Language, Promise<Texts>>()

/** However often it is called they are fetched once; after a failure, anew. */
export function loadTexts(language: Language): Promise<Texts> {
  const texts = asked.get(language) ?? fetchTexts(language)
  asked.set(language, texts)
  texts.catch(() => asked.delete(language))
  return texts
}

async function fetchTexts(language: Language): Promise<Texts> {
  const response = await fetch(`/i18n/${language}.json`)
  return await response.json()
}
