import { limits } from '@sendroom/contract/limits'
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'

export const languages = ['vi', 'en', 'cn'] as const
export type Language = (typeof languages)[number]

const STORED = 'lang'
/** What browsers and Intl call our languages. */
const localeOf: Record<Language, string> = { vi: 'vi', en: 'en', cn: 'zh-CN' }

const isLanguage = (text: string | null): text is Language => languages.some((language) => language === text)

export const currentLanguage = (): Language => (isLanguage(i18next.language) ? i18next.language : 'en')
export const currentLocale = (): string => localeOf[currentLanguage()]

/** The chosen language, else `fallback`: the login greets in vi, the app in en. */
export function storedLanguage(fallback: Language): Language {
  const stored = localStorage.getItem(STORED)
  return isLanguage(stored) ? stored : fallback
}

export async function chooseLanguage(language: Language) {
  localStorage.setItem(STORED, language)
  await showLanguage(language)
}

/** Loads the texts of this language alone, unless they are there already. */
export async function showLanguage(language: Language) {
  if (!i18next.isInitialized) await start()
  if (!i18next.hasResourceBundle(language, 'translation')) {
    const response = await fetch(`/i18n/${language}.json`)
    i18next.addResourceBundle(language, 'translation', await response.json())
  }
  if (i18next.language !== language) await i18next.changeLanguage(language)
  document.documentElement.lang = localeOf[language]
}

function start() {
  return i18next.use(initReactI18next).init({
    resources: {},
    fallbackLng: false,
    interpolation: { escapeValue: false, defaultVariables: limits },
  })
}
