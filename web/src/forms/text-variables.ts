import { parseText } from '@sendroom/contract/personal-text'
import type { TextVariable } from '@sendroom/contract/text-previews'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../api/queries.ts'

const nothing: TextVariable[] = []

const useVariableList = () =>
  useRead('GET /text-variables', {}, { staleTime: 60_000, meta: { isQuiet: true } }).data?.variables

/** The fields of contacts that texts may name. None while they load. */
export const useVariables = () => useVariableList() ?? nothing

const wordsOf = {
  unknown: 'MESSAGE.VARIABLE_UNKNOWN',
  unclosed: 'MESSAGE.VARIABLE_UNCLOSED',
  fallback: 'MESSAGE.VARIABLE_FALLBACK',
} as const

/** Names a mistake of the text's variables, in the user's language. Until the variables are loaded all are known. */
export function useTextMistake(text: string): string | undefined {
  const { t } = useTranslation()
  const variables = useVariableList()
  const mistake = useMemo(() => {
    const keys = variables && new Set(variables.map(({ key }) => key))
    return text.includes('{{') ? parseText(text, keys).mistakes[0] : undefined
  }, [text, variables])
  return mistake && t(wordsOf[mistake.kind], { variable: mistake.text })
}
