import { Badge, SimpleGrid } from '@mantine/core'
import type { Receiver } from '@sendroom/contract/receivers'
import { useTranslation } from 'react-i18next'
import { formatNumber, formatSecond } from '../../format.ts'
import { enumerated } from '../../i18n/punctuation.ts'
import { Fact } from '../../ui/fact.tsx'
import { Name } from '../../ui/name.tsx'

/** Attempts follow each other within seconds, and nobody looks at these pages for long. */
export const REFRESH_MS = 3000

export function ReceiverFacts({ receiver }: { receiver: Receiver }) {
  const { t } = useTranslation()
  return (
    <SimpleGrid component="dl" cols={{ base: 2, md: 3 }} m={0}>
      <Fact name={t('RECEIVER_FORM.URL')}>
        <Name>{receiver.url}</Name>
      </Fact>
      <Fact name={t('RECEIVER_FORM.TOPICS')}>
        {enumerated(receiver.topics.map((topic) => t(`RECEIVER_FORM.TOPIC_${topic.toUpperCase()}`)))}
      </Fact>
      <Fact name={t('RECEIVER.WAITING')}>{formatNumber(receiver.waiting)}</Fact>
      <Fact name={t('RECEIVER.ARRIVED_AT')}>{formatSecond(receiver.arrivedAt)}</Fact>
      <Fact name={t('RECEIVER.FAILED_AT')}>{formatSecond(receiver.failedAt)}</Fact>
      {receiver.allowsOwnNetwork && (
        <Fact name={t('RECEIVER_FORM.ALLOWS_OWN_NETWORK')}>{t('COMMON.YES')}</Fact>
      )}
    </SimpleGrid>
  )
}

/** The newest attempt says how the receiver is. */
export function StateBadge({ receiver: { isActive, arrivedAt, failedAt } }: { receiver: Receiver }) {
  const { t } = useTranslation()
  if (!isActive)
    return (
      <Badge variant="light" color="gray">
        {t('RECEIVER.OFF')}
      </Badge>
    )
  if (failedAt !== null && failedAt > (arrivedAt ?? ''))
    return (
      <Badge variant="light" color="red">
        {t('RECEIVER.FAILING')}
      </Badge>
    )
  return arrivedAt === null ? null : (
    <Badge variant="light" color="green">
      {t('RECEIVER.WORKING')}
    </Badge>
  )
}
