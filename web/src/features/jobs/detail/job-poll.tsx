import { Group, Progress, Stack, Text } from '@mantine/core'
import type { PollTotals } from '@sendroom/contract/job-poll'
import type { Job } from '@sendroom/contract/jobs'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { usePolling } from '../../../api/event-stream.ts'
import { formatAgo, formatNumber, formatPercent, formatSecond } from '../../../format.ts'
import { counted } from '../../../i18n/words.ts'
import { LoadFailed } from '../../../ui/load-failed.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { Section } from '../../../ui/section.tsx'
import { useNow } from '../../../ui/use-now.ts'
import classes from './job-poll.module.css'

const POLL_MS = 5000
/**
 * Nothing but a read makes the server ask the provider for votes, five messages in ten seconds: those without a webhook
 * and those that came in the wrong order. So a poll in twenty groups is right within two minutes.
 */
const EVENTLESS_REFRESH_MS = 12_000

/** The results of a job's poll over all recipients. Events refresh them while people vote. */
export function JobPoll({ job }: { job: Job }) {
  const { t } = useTranslation()
  const result = useTotals(job)
  const { data } = result
  return (
    <Section title={t('JOB.POLL_RESULTS')}>
      {data && <Totals totals={data} allowsSeveral={allowsSeveral(job)} />}
      {result.isPending && <Loading />}
      {result.isError && !data && <LoadFailed retry={() => result.refetch()} />}
    </Section>
  )
}

function useTotals({ id, run, version }: Job) {
  const polling = usePolling()
  return useQuery({
    // A restart begins without votes, and a change may bring other options.
    queryKey: ['jobs', 'rows', id, 'poll', run, version],
    queryFn: ({ signal }) => call('GET /jobs/:id/poll', { params: { id } }, signal),
    refetchInterval: polling(POLL_MS) || EVENTLESS_REFRESH_MS,
    meta: { isQuiet: true },
  })
}

const allowsSeveral = ({ content }: Job) => content?.kind === 'poll' && content.allowsSeveral

function Totals({ totals, allowsSeveral }: { totals: PollTotals; allowsSeveral: boolean }) {
  const { t } = useTranslation()
  const { options, messages, people, updatedAt } = totals
  const total = options.reduce((sum, { votes }) => sum + votes, 0)
  // Somebody who may choose several answers votes more than once, so the shares of votes would say little.
  const whole = allowsSeveral ? (people ?? total) : total
  return (
    <Stack gap="sm">
      <ul className={classes.options}>
        {options.map(({ name, votes }) => (
          <Option key={name} name={name} votes={votes} percent={whole > 0 ? (votes / whole) * 100 : 0} />
        ))}
      </ul>
      {updatedAt === null ? (
        <Text size="sm" c="dimmed">
          {t('JOB.POLL_EMPTY')}
        </Text>
      ) : (
        <Group gap="xs">
          <Text size="sm">
            {t('JOB.POLL_SUMMARY', { votes: formatNumber(total), messages: formatNumber(messages) })}
          </Text>
          {allowsSeveral && (
            <Text size="sm">
              {people === null ? t('JOB.POLL_OF_VOTES') : t('JOB.POLL_OF_PEOPLE', counted(people))}
            </Text>
          )}
          <Updated at={updatedAt} />
        </Group>
      )}
    </Stack>
  )
}

type OptionProps = { name: string; votes: number; percent: number }

const Option = ({ name, votes, percent }: OptionProps) => (
  <li>
    <div className={classes.line}>
      <bdi>{name}</bdi>
      <span className={classes.number}>
        {formatNumber(votes)} · {formatPercent(percent)}
      </span>
    </div>
    <Progress value={percent} size="md" aria-hidden />
  </li>
)

function Updated({ at }: { at: string }) {
  const { t } = useTranslation()
  const now = useNow()
  return (
    <Text size="sm" c="dimmed" title={formatSecond(at)}>
      {t('JOB.POLL_UPDATED', { ago: formatAgo(at, now) })}
    </Text>
  )
}
