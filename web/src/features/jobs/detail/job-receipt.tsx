import { Anchor, Group, Text } from '@mantine/core'
import { isChannel } from '@sendroom/contract/channels'
import type { JobRecipient } from '@sendroom/contract/job-rows'
import { IconChecks } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { formatNumber, formatSecond } from '../../../format.ts'
import { lazyComponent } from '../../../ui/lazy-component.tsx'

const MembersDialog = lazyComponent(async () => (await import('./members-dialog.tsx')).MembersDialog)

type Props = { jobId: number; recipient: JobRecipient }

/** The receipt of a sent message, with ticks like WhatsApp's: two for delivered, blue ones for read. */
export function JobReceipt({ jobId, recipient }: Props) {
  const { t } = useTranslation()
  const { deliveredAt, readAt } = recipient
  if (recipient.status === 'Sent' && isChannel(recipient.recipientId))
    return (
      <Text size="sm" c="dimmed" title={t('JOB.RECEIPT_OF_CHANNEL_HINT')}>
        {t('JOB.RECEIPT_OF_CHANNEL')}
      </Text>
    )
  // Without a receipt the row's status says all there is.
  if (recipient.status !== 'Sent' || (readAt ?? deliveredAt) === null) return null
  const members = inGroup(recipient, t)
  const step = readAt !== null ? 'READ' : 'DELIVERED'
  return (
    <Group gap={6} wrap="nowrap" align="flex-start" title={formatSecond(readAt ?? deliveredAt)}>
      <IconChecks
        size={16}
        aria-hidden
        style={{ flex: 'none', marginTop: 3 }}
        color={step === 'READ' ? 'var(--mantine-color-blue-6)' : 'var(--mantine-color-dimmed)'}
      />
      {members === null ? (
        <Text size="sm" span>
          {t(`JOB.RECEIPT_${step}`)}
        </Text>
      ) : (
        <Members jobId={jobId} recipient={recipient} text={members} />
      )}
    </Group>
  )
}

/** The counts of a group. For some days a press shows who the members are, to whoever may export them. */
function Members({ jobId, recipient, text }: Props & { text: string }) {
  const [isOpen, setOpen] = useState(false)
  const isAllowed = mayDo('canExportParticipants', useCurrentUser())
  if (!isAllowed || !recipient.areMembersKept)
    return (
      <Text size="sm" span>
        {text}
      </Text>
    )
  return (
    <>
      <Anchor component="button" type="button" size="sm" ta="start" onClick={() => setOpen(true)}>
        {text}
      </Anchor>
      {isOpen && <MembersDialog jobId={jobId} recipient={recipient} onClose={() => setOpen(false)} />}
    </>
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
