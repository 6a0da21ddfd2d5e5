import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { Failure } from '../../api/failure.ts'
import { addToast } from '../../ui/toasts.ts'

/** Returns a function that shows the present state of an import which was changed in another tab, and says so. */
export function useStale() {
  const queryClient = useQueryClient()
  return (error: unknown) => {
    if (!(error instanceof Failure) || error.code !== 'stale_version') return
    addToast({ type: 'error', msg: i18next.t('IMPORT.STALE') })
    queryClient.invalidateQueries({ queryKey: ['imports'] })
  }
}
