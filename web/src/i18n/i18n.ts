import { limits } from '@sendroom/contract/limits'
import i18next, { type FormatterModule } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { isLanguage, type Language, loadTexts, storeLanguage } from './load-texts.ts'

/** BCP 47 tags for browsers and Intl. */
const localeOf: Record<Language, string> = { vi: 'vi', en: 'en', cn: 'zh-CN' }

export const currentLanguage = (): Language => (isLanguage(i18next.language) ? i18next.language : 'en')
export const currentLocale = (): string => localeOf[currentLanguage()]

export async function chooseLanguage(language: Language) {
  storeLanguage(language)
  await showLanguage(language)
}

/** Switches the app to a language. Loads its texts unless they are loaded already. */
export async function showLanguage(language: Language) {
  // First: once i18next has begun without texts, it shows their names.
  const texts = await loadTexts(language)
  if (!i18next.isInitialized) await start()
  if (!i18next.hasResourceBundle(language, 'translation'))
    i18next.addResourceBundle(language, 'translation', texts)
  if (i18next.language !== language) await i18next.changeLanguage(language)
  document.documentElement.lang = localeOf[language]
}

/** The numbers that texts name: `{{passwordMin}}`. */
const numbers: Record<keyof typeof limits, number> = { ...limits }

/** An operator may raise the least length of a password. */
export function setPasswordMin(length: number) {
  numbers.passwordMin = length
}

/**
 * Shows numbers in texts as the language has them: 100,000. An id is a name. The server separates names by commas:
 * Chinese texts write `{{names, row}}`, so that they get the mark of a row there.
 */
const formatter: FormatterModule = {
  type: 'formatter',
  format: (value, format, _language, options) => {
    if (format) return value.replaceAll(', ', '、')
    return typeof value === 'number' && options?.interpolationkey !== 'id'
      ? value.toLocaleString(currentLocale())
      : value
  },
  init() {},
  add() {},
  addCached() {},
}

function start() {
  return i18next
    .use(initReactI18next)
    .use(formatter)
    .init({
      resources: {},
      fallbackLng: false,
      interpolation: { escapeValue: false, defaultVariables: numbers, alwaysFormat: true },
    })
}
