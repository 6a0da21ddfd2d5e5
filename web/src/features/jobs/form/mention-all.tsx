import { Checkbox } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { formatNumber } from '../../../format.ts'
import type { Values } from './new-job-values.ts'

/** Whether the message mentions all members of its groups, for those who may decide that. */
export function MentionAll<V extends Values>({ form }: { form: UseFormReturnType<V> }) {
  const { t } = useTranslation()
  const isAllowed = mayDo('canMentionAll', useCurrentUser())
  if (form.values.jobType !== 'SendToGroups' || !isAllowed) return null
  return (
    <Checkbox
      label={t('JOB.MENTIONS_ALL')}
      description={t('JOB.MENTIONS_ALL_HINT')}
      {...form.getInputProps('mentionsAll', { type: 'checkbox' })}
    />
  )
}

/** How many members the mentions would reach, before anything is sent. */
export function reachText({ members, reached }: { members: number; reached: number }, t: TFunction): string {
  if (reached === members) return t('JOB.PREVIEW_REACHES_ALL', { members: formatNumber(members) })
  const hidden = formatNumber(members - reached)
  return t('JOB.PREVIEW_REACHES', { reached: formatNumber(reached), members: formatNumber(members), hidden })
}
