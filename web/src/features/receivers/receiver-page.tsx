import { Button, Group, Stack, Text } from '@mantine/core'
import type { Receiver } from '@sendroom/contract/receivers'
import { IconPencil, IconSend, IconTrash } from '@tabler/icons-react'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../address.ts'
import { useRead } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { useRedirectOnFailure } from '../../api/use-redirect-on-failure.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { Loading } from '../../ui/loading.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { Section } from '../../ui/section.tsx'
import { Attempts } from './attempts.tsx'
import { REFRESH_MS, ReceiverFacts, StateBadge } from './receiver-facts.tsx'

/** A receiver with its last attempts. */
export function ReceiverPage() {
  const { t } = useTranslation()
  const id = idOf(useParams({ strict: false })) ?? 0
  const { data, isError } = useRead(
    'GET /receivers/:id',
    { params: { id } },
    { refetchInterval: REFRESH_MS, meta: { words: 'TOAST.RECEIVER_LOAD_FAILED' } },
  )
  useRedirectOnFailure(isError && !data, '/settings/webhooks')
  if (!data) return <Loading />
  const { receiver, attempts } = data
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="xs">
          <PageTitle>{receiver.name}</PageTitle>
          <StateBadge receiver={receiver} />
        </Group>
        <Buttons receiver={receiver} />
      </Group>
      <Section title={t('RECEIVER.RECEIVER')}>
        <ReceiverFacts receiver={receiver} />
      </Section>
      <Section title={t('RECEIVER.ATTEMPTS')}>
        {attempts.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('RECEIVER.NO_ATTEMPTS')}
          </Text>
        ) : (
          <Attempts receiver={receiver} attempts={attempts} />
        )}
      </Section>
    </Stack>
  )
}

function Buttons({ receiver: { id, name, isActive } }: { receiver: Receiver }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const sendTest = useAction('POST /receivers/:id/test', { success: 'TOAST.RECEIVER_QUEUED' })
  const remove = useAction('DELETE /receivers/:id', { success: 'TOAST.RECEIVER_DELETED' })
  const askAndRemove = async () => {
    const isSure = await confirm({
      title: t('RECEIVER.DELETE_TITLE'),
      message: t('RECEIVER.CONFIRM_DELETE', { name }),
      confirmText: t('COMMON.DELETE'),
      confirmColor: 'red',
    })
    if (isSure)
      remove.mutate({ params: { id } }, { onSuccess: () => void navigate({ to: '/settings/webhooks' }) })
  }
  return (
    <Group gap="xs">
      {isActive && (
        <BusyButton
          isBusy={sendTest.isPending}
          leftSection={<IconSend size={16} aria-hidden />}
          onClick={() => sendTest.mutate({ params: { id } })}
        >
          {t('RECEIVER.SEND_TEST')}
        </BusyButton>
      )}
      <Button
        variant="default"
        renderRoot={(props) => (
          <Link {...props} to="/settings/webhooks/edit/$id" params={{ id: String(id) }} />
        )}
        leftSection={<IconPencil size={16} aria-hidden />}
      >
        {t('COMMON.EDIT')}
      </Button>
      <BusyButton
        variant="default"
        isBusy={remove.isPending}
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={askAndRemove}
      >
        {t('COMMON.DELETE')}
      </BusyButton>
    </Group>
  )
}
