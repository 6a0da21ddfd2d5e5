import type { Reason } from '@sendroom/contract/values'
import i18next from 'i18next'
import { reasonText } from '../i18n/words.ts'
import { confirm } from '../ui/confirm.ts'
import { mayDo, useCurrentUser } from './session.ts'
import { useAction } from './use-action.ts'

/**
 * Resumes an instance that stopped because too many messages failed in a row, after a confirmation. Undefined if
 * the instance is not stopped or the user may not resume it.
 */
export function useResumeSending(instance: { id: number; name: string }, waiting: Reason | null) {
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
      title: t('ACCOUNT.RESUME_TITLE', instance),
      message: `${reasonText(waiting)}\n\n${t('ACCOUNT.CONFIRM_RESUME')}`,
      confirmText: t('ACCOUNT.RESUME'),
      confirmColor: 'orange',
    })
    if (isSure) resume.mutate({ params: { id: instance.id } })
  }
  return { ask, isPending: resume.isPending }
}
