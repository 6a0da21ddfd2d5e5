import { useTranslation } from 'react-i18next'
import { chooseLanguage, currentLanguage } from '../i18n/i18n.ts'
import { type Language, languages } from '../i18n/load-texts.ts'
import classes from './language-select.module.css'

/**
 * A drop-down of language codes in upper case. The choice is stored in the browser; `onChoose` may store it elsewhere.
 */
export function LanguageSelect({ onChoose }: { onChoose?: (language: Language) => void }) {
  const { t } = useTranslation()
  return (
    <select
      className={classes.select}
      aria-label={t('COMMON.LANGUAGE')}
      value={currentLanguage()}
      // The cast is safe: all options are languages.
      onChange={(event) => {
        const language = event.currentTarget.value as Language
        chooseLanguage(language)
        onChoose?.(language)
      }}
    >
      {languages.map((language) => (
        <option key={language} value={language}>
          {language.toUpperCase()}
        </option>
      ))}
    </select>
  )
}
