import { Text } from '@mantine/core'
import { isChannel } from '@sendroom/contract/channels'
import type { JobRecipient } from '@sendroom/contract/job-rows'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../format.ts'

/** How many members of a group were mentioned, under a message that was to mention everybody. Channels have none. */
export function Mentions({ recipient }: { recipient: JobRecipient }) {
  const { t } = useTranslation()
  if (recipient.status !== 'Sent' || isChannel(recipient.recipientId)) return null
  return (
    <Text size="xs" c="dimmed">
      {wordsOf(recipient.mentions, t)}
    </Text>
  )
}

function wordsOf(mentions: JobRecipient['mentions'], t: TFunction): string {
  if (!mentions?.reached) return t('JOB.MENTIONED_NOBODY')
  const { reached, members } = mentions
  if (reached >= members) return t('JOB.MENTIONED_ALL', { members: formatNumber(members) })
  return t('JOB.MENTIONED', {
    reached: formatNumber(reached),
    members: formatNumber(members),
    hidden: formatNumber(members - reached),
  })
}
