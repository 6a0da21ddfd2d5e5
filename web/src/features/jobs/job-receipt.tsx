import { Group, Text } from '@mantine/core'
import type { SentMessage } from '@sendroom/contract/jobs'
import { IconCheck, IconChecks } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { formatNumber, formatSecond } from '../../format.ts'

/** How far a sent message came, by the receipts of the phones: one tick is sent, two delivered, blue ones read. */
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

/** In a group everybody has a phone: how many of them got it, and how many read it. Null for a person. */
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
