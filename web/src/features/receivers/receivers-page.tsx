import { Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import type { Receiver } from '@sendroom/contract/receivers'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { AddButton } from '../../lists/list-buttons.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Name } from '../../ui/name.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { REFRESH_MS, ReceiverFacts, StateBadge } from './receiver-facts.tsx'

/** All receivers of webhooks. There are few, so the page shows each as a card. */
export function ReceiversPage() {
  const { t } = useTranslation()
  const { data, isError, refetch } = useRead('GET /receivers', {}, { refetchInterval: REFRESH_MS })
  return (
    <Stack>
      <Group justify="space-between">
        <PageTitle>{t('RECEIVER.TITLE')}</PageTitle>
        <AddButton to="/settings/webhooks/new" label="RECEIVER.ADD" reason={undefined} />
      </Group>
      <Text size="sm" c="dimmed">
        {t('RECEIVER.HINT')}
      </Text>
      {!data && (isError ? <LoadFailed retry={refetch} /> : <Loading />)}
      {data?.receivers.length === 0 && <Text>{t('RECEIVER.NONE')}</Text>}
      {data?.receivers.map((receiver) => (
        <Card key={receiver.id} receiver={receiver} />
      ))}
    </Stack>
  )
}

const Card = ({ receiver }: { receiver: Receiver }) => (
  <Paper withBorder p="md">
    <Group mb="sm" gap="xs">
      <Anchor
        fw={600}
        renderRoot={(props) => (
          <Link {...props} to="/settings/webhooks/$id" params={{ id: String(receiver.id) }} />
        )}
      >
        <Name>{receiver.name}</Name>
      </Anchor>
      <StateBadge receiver={receiver} />
    </Group>
    <ReceiverFacts receiver={receiver} />
  </Paper>
)
