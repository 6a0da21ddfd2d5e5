import type { ReasonCode } from '@sendroom/contract/reasons'
import type { Reason } from '@sendroom/contract/values'
import i18next from 'i18next'
import { reasonText } from '../i18n/words.ts'
import { confirm } from '../ui/confirm.ts'
import { mayDo, useCurrentUser } from './session.ts'
import { useAction } from './use-action.ts'

/** The reasons that a person may overrule, and what is asked first. */
const questions = new Map<ReasonCode, string>([
  ['account_failures', 'ACCOUNT.CONFIRM_RESUME'],
  ['history_unreadable', 'ACCOUNT.CONFIRM_RESUME_UNCHECKED'],
])

/**
 * Resumes an instance that waits for a person, after a confirmation. Undefined if the instance does not wait for one,
 * or the user may not resume it.
 */
export function useResumeSending(instance: { id: number; name: string }, waiting: Reason | null) {
  const { t } = i18next
  const resume = useAction(
    'POST /instances/:id/resume',
    { success: 'ACCOUNT.RESUMED', failure: 'ACCOUNT.RESUME_FAILED' },
    ['jobs', 'dashboard'],
  )
  const isAllowed = mayDo('canCreateJobs', useCurrentUser())
  const question = waiting && questions.get(waiting.code)
  if (!isAllowed || !question) return
  const ask = async () => {
    const isSure = await confirm({
      title: t('ACCOUNT.RESUME_TITLE', instance),
      message: `${reasonText(waiting)}\n\n${t(question)}`,
      confirmText: t('ACCOUNT.RESUME'),
      confirmColor: 'orange',
    })
    if (isSure) resume.mutate({ params: { id: instance.id } })
  }
  return { ask, isPending: resume.isPending }
}
