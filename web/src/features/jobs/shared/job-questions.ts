import type { RecipientCounts } from '@sendroom/contract/jobs'
import i18next from 'i18next'
import { counted } from '../../../i18n/words.ts'
import { confirm, confirmWith } from '../../../ui/confirm.ts'

/** Recipients who surely did not get the message. Leaves out those in doubt (`unknown`). */
export const remainingOf = ({ failed, unknown, skipped }: RecipientCounts) => failed - unknown + skipped

/** Asks before a restart, which sends to everybody again. Says how many get the message twice. */
export function confirmRestart(recipients: RecipientCounts): Promise<boolean> {
  const { t } = i18next
  const { sent, unknown } = recipients
  const message = [
    t('JOB.CONFIRM_RESTART'),
    sent > 0 && t('JOB.RESTART_AGAIN', counted(sent)),
    unknown > 0 && t('JOB.RESTART_UNKNOWN', counted(unknown)),
    sent > 0 && remainingOf(recipients) > 0 && t('JOB.RESTART_RATHER_REST'),
  ]
  return confirm({
    message: message.filter(Boolean).join('\n\n'),
    confirmText: t('JOB.RESTART'),
    ...(sent > 0 && { confirmColor: 'orange' }),
  })
}

/** Asks before a retry, and whether it includes recipients in doubt. Null if the user cancels. */
export async function askForRetry(recipients: RecipientCounts): Promise<{ includeUnknown: boolean } | null> {
  const { t } = i18next
  const { unknown } = recipients
  const remaining = remainingOf(recipients)
  const option = {
    label: t('JOB.INCLUDE_UNKNOWN', counted(unknown)),
    hint: t('JOB.INCLUDE_UNKNOWN_HINT'),
    isRequired: remaining === 0,
  }
  const { isConfirmed, isOptionChosen } = await confirmWith({
    title: t('JOB.RETRY'),
    message: remaining > 0 ? t('JOB.CONFIRM_RETRY', counted(remaining)) : t('JOB.ONLY_UNKNOWN_LEFT'),
    confirmText: t('JOB.RETRY_BUTTON'),
    ...(unknown > 0 && { option }),
  })
  return isConfirmed ? { includeUnknown: isOptionChosen } : null
}

export const confirmCancel = () =>
  confirm({
    message: i18next.t('JOB.CONFIRM_CANCEL'),
    confirmText: i18next.t('JOB.CANCEL'),
    cancelText: i18next.t('COMMON.CLOSE'),
    confirmColor: 'orange',
  })

export const confirmDelete = () =>
  confirm({
    message: i18next.t('JOB.CONFIRM_DELETE'),
    confirmText: i18next.t('COMMON.DELETE'),
    confirmColor: 'red',
  })
