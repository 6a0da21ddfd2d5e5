import type { Import, RowProblem } from '@sendroom/contract/imports'
import { limits } from '@sendroom/contract/limits'
import { useTranslation } from 'react-i18next'

/** How often a page looks at an import that is being worked on. */
export const POLL_MS = 1000

export const isActive = ({ status }: Import) =>
  status === 'checking' || status === 'running' || status === 'undoing'

/** Returns a function that names where the people come from. */
export function useSourceName() {
  const { t } = useTranslation()
  return ({ source, fileName, instance }: Import) =>
    source === 'file'
      ? fileName
      : t(`IMPORT.SOURCE_${source.toUpperCase()}`, { name: instance?.name ?? t('IMPORT.AN_ACCOUNT') })
}

/** Returns a function that says what is wrong with a row. */
export function useProblemWords() {
  const { t } = useTranslation()
  return ({ code, params }: RowProblem) => t(`IMPORT_PROBLEM.${code}`, { ...limits, ...params })
}
