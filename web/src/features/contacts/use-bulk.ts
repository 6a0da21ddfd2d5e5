import type { Changed } from '@sendroom/contract/contacts'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { useEffect, useRef, useState } from 'react'
import { reportFailure } from '../../api/failure.ts'
import { SUCCESS_MS } from '../../api/use-action.ts'
import { counted } from '../../i18n/words.ts'
import { addToast } from '../../ui/toasts.ts'

export type Progress = { done: number; total: number; stop: () => void }

/**
 * Changes contacts in calls of some thousands, until no more match or the user stops. Leaving the page stops too: what
 * is done stays done.
 */
export function useBulk() {
  const queryClient = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [progress, setProgress] = useState<Progress | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  async function repeat(total: number, change: () => Promise<Changed>, { signal }: AbortController) {
    for (let done = 0; ; ) {
      const { count, hasMore } = await change()
      done += count
      if (!hasMore || signal.aborted) return done
      setProgress({ done, total, stop: () => running.current?.abort() })
    }
  }
  /** `words` is the translation key of the success, which counts. Resolves to whether it worked. */
  async function run(total: number, change: () => Promise<Changed>, words: string): Promise<boolean> {
    running.current = new AbortController()
    setBusy(true)
    try {
      const done = await repeat(total, change, running.current)
      addToast({
        type: 'success',
        msg: i18next.t(words, counted(done)),
        timeout: SUCCESS_MS,
      })
      return true
    } catch (error) {
      reportFailure(error)
      return false
    } finally {
      setBusy(false)
      setProgress(null)
      await Promise.all(
        ['contacts', 'tags', 'lists'].map((feature) =>
          queryClient.invalidateQueries({ queryKey: [feature] }),
        ),
      )
    }
  }
  return { run, isBusy, progress }
}
