import type { EndpointName } from '@sendroom/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { addToast } from '../ui/toasts.ts'
import { call, type InputOf, type OutputOf } from './client.ts'
import { reportFailure } from './failure.ts'
import { featureOf } from './queries.ts'

export const SUCCESS_MS = 3000

/**
 * Translation keys of the toasts. That of a success may depend on the answer. Without `failure` the toast says what
 * `failureText` says.
 */
type Words<N extends EndpointName> = {
  success?: string | ((answer: OutputOf<N>) => string)
  failure?: string
}

/**
 * A write. Shows its success or failure as a toast and refreshes the answers of its feature and of `alsoRefresh`.
 * Buttons use `mutate`. Forms use `mutateAsync`, which rejects, so that they can show the failure at their fields.
 */
export function useAction<N extends EndpointName>(name: N, words: Words<N>, alsoRefresh: string[] = []) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (input: InputOf<N>) => call(name, input),
    onSuccess: async (answer) => {
      const success = typeof words.success === 'function' ? words.success(answer) : words.success
      if (success) addToast({ type: 'success', msg: i18next.t(success), timeout: SUCCESS_MS })
      const stale = [featureOf(name), ...alsoRefresh]
      await Promise.all(stale.map((feature) => queryClient.invalidateQueries({ queryKey: [feature] })))
    },
    onError: (error) => reportFailure(error, words.failure),
  })
}
