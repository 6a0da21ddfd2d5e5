import { useMutation } from '@tanstack/react-query'
import i18next from 'i18next'
import { addToast } from '../ui/toasts.ts'
import { reportFailure } from './failure.ts'
import { SUCCESS_MS } from './use-action.ts'

/** Translation keys of the toasts. */
export type DownloadWords = { success: string; failure: string }

/** Calls `download` when the user asks for it, and says in a toast whether that worked. */
export const useDownload = ({ success, failure }: DownloadWords, save: () => Promise<void>) =>
  useMutation({
    mutationFn: save,
    onSuccess: () => addToast({ type: 'success', msg: i18next.t(success), timeout: SUCCESS_MS }),
    onError: (error) => reportFailure(error, failure),
  })
