import { useDebouncedValue } from '@mantine/hooks'
import { parseText, variablesIn } from '@sendroom/contract/personal-text'
import type { TextPreview } from '@sendroom/contract/text-previews'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { mayDo, useCurrentUser } from '../api/session.ts'
import { pollOf } from './content-values.ts'
import { useTextMistake } from './text-variables.ts'

/** The preview is asked for after this time without a change. */
const SETTLED_MS = 400

export type ContactPreview = {
  /** The text for the present contact, once it is read. */
  shown: TextPreview | undefined
  isPoll: boolean
  isLoading: boolean
  onlyProblems: boolean
  /** Shows the next contact, or the next one with a problem; after the last one the first again. */
  showNext: (onlyProblems: boolean) => void
}

/** Reads a text as contacts would get it. Null if it has no variables or mistakes, or the user sees no contacts. */
export function useTextPreview(text: string, content: { kind: string }): ContactPreview | null {
  const [settled] = useDebouncedValue(text, SETTLED_MS)
  const [place, setPlace] = useState({ after: null as number | null, onlyProblems: false })
  const mayUseContacts = mayDo('canUseContacts', useCurrentUser())
  const mistake = useTextMistake(settled)
  const isPossible = mayUseContacts && !mistake && variablesIn(parseText(settled)).length > 0
  const { data, isFetching } = useQuery({
    queryKey: ['messages', 'preview', settled, content.kind, place],
    queryFn: ({ signal }) =>
      call('POST /text-previews', { body: { textContent: settled, ...place, ...pollOf(content) } }, signal),
    enabled: isPossible,
    placeholderData: keepPreviousData,
    // No cache: each text is read once, and contacts change.
    gcTime: 0,
    meta: { isQuiet: true },
  })
  if (!isPossible) return null
  return {
    shown: data,
    isPoll: content.kind === 'poll',
    isLoading: isFetching,
    onlyProblems: place.onlyProblems,
    showNext: (onlyProblems) => setPlace({ after: data?.contact?.id ?? null, onlyProblems }),
  }
}
