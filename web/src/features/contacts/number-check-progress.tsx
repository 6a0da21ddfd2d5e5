import { Alert, Group, Stack, Text } from '@mantine/core'
import type { NumberCheckQueue } from '@sendroom/contract/number-checks'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { isAdmin, useCurrentUser } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { formatDuration, formatNumber } from '../../format.ts'
import { counted, reasonText } from '../../i18n/words.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Name } from '../../ui/name.tsx'

const POLL_MS = 5000
/** On average, with the answer of the provider. */
const SECONDS_EACH = 3

/** The numbers that accounts check now, how long that takes, and a button that stops it. */
export function NumberCheckProgress() {
  const { t } = useTranslation()
  const { data } = useRead(
    'GET /number-checks',
    {},
    {
      refetchInterval: ({ state }) => ((state.data?.queues.length ?? 0) > 0 ? POLL_MS : false),
      meta: { isQuiet: true },
    },
  )
  if (!data || data.queues.length === 0) return null
  return (
    <Alert color="blue" title={t('NUMBER_CHECK.TITLE')} mb="md">
      <Stack gap="xs">
        {data.queues.map((queue) => (
          <Queue key={queue.instance.id} queue={queue} />
        ))}
      </Stack>
    </Alert>
  )
}

function Queue({ queue }: { queue: NumberCheckQueue }) {
  const { t } = useTranslation()
  const user = useCurrentUser()
  const stop = useAction('POST /number-checks/:id/stop', { success: 'NUMBER_CHECK.STOPPED' })
  const { instance, waiting, mine } = queue
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" miw={0}>
        <Name>{t('NUMBER_CHECK.WAITING', { ...counted(waiting), name: instance.name })}</Name>{' '}
        {restWords(queue, t)}
      </Text>
      {(mine > 0 || isAdmin(user)) && (
        <BusyButton
          variant="default"
          size="compact-sm"
          isBusy={stop.isPending}
          onClick={() => stop.mutate({ params: { id: instance.id } })}
        >
          {t('NUMBER_CHECK.STOP')}
        </BusyButton>
      )}
    </Group>
  )
}

/** Why nothing is checked now, or how long the rest takes. */
function restWords({ reason, waiting, checkedToday, perDay }: NumberCheckQueue, t: TFunction): string {
  if (reason) return t('NUMBER_CHECK.WAITS', { reason: reasonText(reason) })
  if (checkedToday + waiting > perDay) return t('NUMBER_CHECK.DAYS', { number: formatNumber(perDay) })
  return t('NUMBER_CHECK.TIME', { time: formatDuration(waiting * SECONDS_EACH * 1000) })
}
