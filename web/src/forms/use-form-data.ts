import type { EndpointName } from '@sendroom/contract'
import type { LinkProps } from '@tanstack/react-router'
import type { InputOf, OutputOf } from '../api/client.ts'
import { useRead } from '../api/queries.ts'
import { useRedirectOnFailure } from '../api/use-redirect-on-failure.ts'

type Failure = {
  /** Translation key of the toast. */
  words: string
  leaveTo: LinkProps['to']
}

/**
 * Reads what a form edits; undefined while it loads. Read anew for each form and only once, because a refresh would
 * replace what the user has typed.
 */
export function useFormData<N extends EndpointName>(
  name: N,
  input: InputOf<N>,
  { words, leaveTo }: Failure,
): OutputOf<N> | undefined {
  const { data, isError } = useRead(name, input, { gcTime: 0, staleTime: 'static', meta: { words } })
  useRedirectOnFailure(isError, leaveTo)
  return data
}
