import type { Reason } from '@sendroom/contract/values'
import i18next from 'i18next'
import { reasonText } from '../i18n/words.ts'
import { confirm } from '../ui/confirm.ts'
import { mayDo, useCurrentUser } from './session.ts'
import { useAction } from './use-action.ts'

/**
 * For an account that waits for a person, because its messages failed one after another: asks, then lets it go on.
 * Undefined where there is nothing to resume, or one may not.
 */
export function useResumeAccount(account: { id: number; name: string }, waiting: Reason | null) {
  const { t } = i18next
  const resume = useAction(
    'POST /instances/:id/resume',
    { success: 'ACCOUNT.RESUMED', failure: 'ACCOUNT.RESUME_FAILED' },
    ['jobs'],
  )
  const isAllowed = mayDo('canCreateJobs', useCurrentUser())
  if (!isAllowed || waiting?.code !== 'account_failures') return
  const ask = async () => {
    const isSure = await confirm({
      title: t('ACCOUNT.RESUME_TITLE', account),
      message: `${reasonText(waiting)}\n\n${t('ACCOUNT.CONFIRM_RESUME')}`,
      confirmText: t('ACCOUNT.RESUME'),
      confirmColor: 'orange',
    })
    if (isSure) resume.mutate({ params: { id: account.id } })
  }
  return { ask, isPending: resume.isPending }
}
