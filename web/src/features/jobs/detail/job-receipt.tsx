import { Group, Text } from '@mantine/core'
import type { SentMessage } from '@sendroom/contract/jobs'
import { IconCheck, IconChecks } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { formatNumber, formatSecond } from '../../../format.ts'

/** The receipt of a sent message, with ticks like WhatsApp's: one for sent, two for delivered, blue ones for read. */
export function JobReceipt({ sent }: { sent: SentMessage }) {
  const { t } = useTranslation()
  if (sent.status !== 'Sent') return null
  const { deliveredAt, readAt } = sent
  const step = readAt !== null ? 'READ' : deliveredAt !== null ? 'DELIVERED' : 'SENT'
  const Ticks = step === 'SENT' ? IconCheck : IconChecks
  return (
    <Group
      gap={6}
      wrap="nowrap"
      align="flex-start"
      title={formatSecond(readAt ?? deliveredAt ?? sent.sentAt)}
    >
      <Ticks
        size={16}
        aria-hidden
        style={{ flex: 'none', marginTop: 3 }}
        color={step === 'READ' ? 'var(--mantine-color-blue-6)' : 'var(--mantine-color-dimmed)'}
      />
      <Text size="sm" span>
        {inGroup(sent, t) ?? t(`JOB.RECEIPT_${step}`)}
      </Text>
    </Group>
  )
}

/** How many members of a group got and read the message. Null for a person, and until the first member has it. */
function inGroup({ deliveredTo, readBy, members }: SentMessage, t: TFunction): string | null {
  if (!deliveredTo || readBy === null) return null
  if (members === null)
    return t('JOB.RECEIPT_IN_GROUP', { delivered: formatNumber(deliveredTo), read: formatNumber(readBy) })
  return t('JOB.RECEIPT_OF_MEMBERS', {
    delivered: formatNumber(deliveredTo),
    read: formatNumber(readBy),
    members: formatNumber(members),
  })
}
