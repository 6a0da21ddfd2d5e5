import { Group, Text } from '@mantine/core'
import type { JobRecipient } from '@sendroom/contract/job-rows'
import { IconChecks } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { formatNumber, formatSecond } from '../../../format.ts'

/** The receipt of a sent message, with ticks like WhatsApp's: two for delivered, blue ones for read. */
export function JobReceipt({ sent }: { sent: JobRecipient }) {
  const { t } = useTranslation()
  const { deliveredAt, readAt } = sent
  // Without a receipt the row's status says all there is.
  if (sent.status !== 'Sent' || (readAt ?? deliveredAt) === null) return null
  const step = readAt !== null ? 'READ' : 'DELIVERED'
  return (
    <Group gap={6} wrap="nowrap" align="flex-start" title={formatSecond(readAt ?? deliveredAt)}>
      <IconChecks
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
function inGroup({ deliveredTo, readBy, members }: JobRecipient, t: TFunction): string | null {
  if (!deliveredTo || readBy === null) return null
  if (members === null)
    return t('JOB.RECEIPT_IN_GROUP', { delivered: formatNumber(deliveredTo), read: formatNumber(readBy) })
  return t('JOB.RECEIPT_OF_MEMBERS', {
    delivered: formatNumber(deliveredTo),
    read: formatNumber(readBy),
    members: formatNumber(members),
  })
}
