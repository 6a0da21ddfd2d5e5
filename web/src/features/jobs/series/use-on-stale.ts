import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { isStale } from '../../../api/failure.ts'
import { addToast } from '../../../ui/toasts.ts'

/** Handles the failure of a write: reads the series again, and says these words if somebody else has changed it. */
export function useOnStale(words: string) {
  const { t } = useTranslation()
  const client = useQueryClient()
  return (error: unknown) => {
    if (isStale(error)) addToast({ type: 'error', msg: t(words) })
    return client.invalidateQueries({ queryKey: ['series'] })
  }
}
