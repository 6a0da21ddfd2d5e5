import { Alert, Box, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { JobPreview as Preview } from '@sendroom/contract/jobs'
import { limits } from '@sendroom/contract/limits'
import type { Message } from '@sendroom/contract/messages'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type InputOf } from '../../api/client.ts'
import { formatDateTime, formatDuration, formatNumber } from '../../format.ts'
import { counted } from '../../i18n/words.ts'
import { WhatsAppMessage } from '../../ui/whatsapp-message.tsx'
import classes from './job-preview.module.css'
import { JobSection } from './job-section.tsx'

/** So long nothing was typed. */
const SETTLED_MS = 400

export type Draft = InputOf<'POST /jobs/preview'>['body']

type Props = {
  draft: Draft
  /** What it sends, once that is chosen and read. */
  message: Message | undefined
}

/** What would become of the job as the form stands: shown as one fills it in, silent where it can't be told. */
export function JobPreview({ draft, message }: Props) {
  const { t } = useTranslation()
  const [settled] = useDebouncedValue(draft, SETTLED_MS)
  const { data, isError, isPlaceholderData } = useQuery({
    queryKey: ['preview', settled],
    queryFn: ({ signal }) => call('POST /jobs/preview', { body: settled }, signal),
    enabled: isForSomebody(draft) && isForSomebody(settled),
    placeholderData: keepPreviousData,
    // The drafts can be large, and each is asked for once.
    gcTime: 0,
    meta: { isQuiet: true },
  })
  return (
    <JobSection title={t('JOB.PREVIEW')}>
      {!isForSomebody(draft) ? (
        <Hint>{t('JOB.PREVIEW_EMPTY')}</Hint>
      ) : data ? (
        // What was foreseen before is pale while it is foreseen anew.
        <Box aria-busy={isPlaceholderData} opacity={isPlaceholderData ? 0.6 : 1}>
          <Foreseen preview={data} hasAccount={Boolean(draft.instanceId)} />
        </Box>
      ) : (
        <Hint>{t(isError ? 'JOB.PREVIEW_FAILED' : 'COMMON.LOADING')}</Hint>
      )}
      {message && (
        <Box mt="md">
          <WhatsAppMessage text={message.textContent} imageUrl={message.imageUrl} />
        </Box>
      )}
    </JobSection>
  )
}

const isForSomebody = ({ jobType, groupIds = [], phoneNumbers = '' }: Draft) =>
  jobType === 'SendToUsers' ? phoneNumbers.trim() !== '' : groupIds.length > 0

const Hint = ({ children }: { children: string }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
)

function Foreseen({ preview, hasAccount }: { preview: Preview; hasAccount: boolean }) {
  const { t } = useTranslation()
  const { recipients, doubles, durationSeconds, endsAt } = preview
  return (
    <Stack gap="sm">
      <dl className={classes.facts}>
        <Fact name="JOB.COUNT_TOTAL">{formatNumber(recipients)}</Fact>
        {doubles > 0 && <Fact name="JOB.PREVIEW_DOUBLES">{formatNumber(doubles)}</Fact>}
        {durationSeconds !== null && (
          <Fact name="JOB.PREVIEW_DURATION">
            {durationSeconds === 0
              ? t('JOB.PREVIEW_AT_ONCE')
              : t('JOB.ABOUT', { time: formatDuration(roughly(durationSeconds) * 1000) })}
          </Fact>
        )}
        {endsAt !== null && <Fact name="JOB.ENDS_AT">{formatDateTime(endsAt)}</Fact>}
      </dl>
      <Hint>{t(timeNote(durationSeconds, hasAccount))}</Hint>
      {recipients > limits.recipients && <Alert color="red" title={t('ERROR.too_many_recipients')} />}
      <Trouble
        color="red"
        some={preview.unreadable}
        nameOf={String}
        title="JOB.PREVIEW_UNREADABLE"
        hint="JOB.PREVIEW_REFUSED"
      />
      <Trouble
        color="red"
        some={preview.leftGroups}
        nameOf={groupName}
        title="JOB.PREVIEW_LEFT"
        hint="JOB.PREVIEW_REFUSED"
      />
      <Trouble
        color="orange"
        some={preview.closedGroups}
        nameOf={groupName}
        title="JOB.PREVIEW_CLOSED"
        hint="JOB.PREVIEW_CLOSED_HINT"
      />
    </Stack>
  )
}

/** From ten minutes on, seconds would only pretend to know. */
const roughly = (seconds: number) => (seconds < 600 ? seconds : Math.round(seconds / 60) * 60)

const groupName = ({ name }: { name: string }) => name

function timeNote(durationSeconds: number | null, hasAccount: boolean): string {
  if (durationSeconds !== null) return 'JOB.PREVIEW_NOTE'
  return hasAccount ? 'JOB.PREVIEW_NO_TIME' : 'JOB.PREVIEW_NO_ACCOUNT'
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <div>
      <dt>{t(name)}</dt>
      <dd>{children}</dd>
    </div>
  )
}

type TroubleProps<One> = {
  color: string
  some: { total: number; first: One[] }
  nameOf: (one: One) => string
  /** Keys: how many there are, and what that means. */
  title: string
  hint: string
}

function Trouble<One>({ color, some, nameOf, title, hint }: TroubleProps<One>) {
  const { t } = useTranslation()
  if (some.total === 0) return null
  const unnamed = some.total - some.first.length
  return (
    <Alert color={color} title={t(title, counted(some.total))}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {some.first.map(nameOf).join(', ')}
        {unnamed > 0 && ` ${t('JOB.AND_MORE', { number: formatNumber(unnamed) })}`}
      </Text>
      <Text size="sm" mt={4}>
        {t(hint)}
      </Text>
    </Alert>
  )
}
