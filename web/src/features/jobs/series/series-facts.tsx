import { List, SimpleGrid, Text } from '@mantine/core'
import { describeRule } from '@sendroom/contract/describe-rule'
import { limits } from '@sendroom/contract/limits'
import type { Series } from '@sendroom/contract/series'
import { useTranslation } from 'react-i18next'
import { formatDay, formatNumber, truncate } from '../../../format.ts'
import { currentLanguage } from '../../../i18n/i18n.ts'
import { enumerated, labelled } from '../../../i18n/punctuation.ts'
import { counted } from '../../../i18n/words.ts'
import { Fact } from '../../../ui/fact.tsx'
import { Name } from '../../../ui/name.tsx'
import { Section } from '../../../ui/section.tsx'
import { JobTypeName } from '../shared/job-labels.tsx'

/** Shows what a series sends, to whom and when. */
export function SeriesFacts({ series }: { series: Series }) {
  const { t } = useTranslation()
  const { rule, nextRun, state, quietDays, quietPolicy, overlap } = series
  const nextAt = state === 'active' ? (nextRun?.dueAt ?? null) : undefined
  return (
    <Section title={t('SERIES.FORECAST')}>
      <Text size="sm" fw={500} mb="md" style={{ overflowWrap: 'anywhere' }}>
        {describeRule(rule, currentLanguage(), nextAt === undefined ? {} : { nextAt })}
      </Text>
      <SimpleGrid component="dl" m={0} cols={{ base: 1, sm: 2, lg: 3 }}>
        <Fact name={t('JOB.INSTANCE')}>
          <Name>{series.instance.name}</Name>
        </Fact>
        <Fact name={t('JOB.TYPE')}>
          <JobTypeName type={series.jobType} />
        </Fact>
        <Fact name={t('SERIES.AUTHOR')}>
          <Name>{series.authorName}</Name>
        </Fact>
        <Fact name={t('SERIES.MESSAGES')}>
          <Messages series={series} />
        </Fact>
        <Fact name={t('JOB.RECIPIENTS')}>
          <Recipients series={series} />
        </Fact>
        <Fact name={t('SERIES.QUIET_DAYS')}>{enumerated(quietDays.map(formatDay))}</Fact>
        <Fact name={t('SERIES.QUIET_POLICY')}>{t(`SERIES.QUIET_POLICY_${quietPolicy.toUpperCase()}`)}</Fact>
        <Fact name={t('SERIES.OVERLAP')}>{t(`SERIES.OVERLAP_${overlap.toUpperCase()}`)}</Fact>
      </SimpleGrid>
    </Section>
  )
}

function Messages({ series: { messages, nextPosition, state } }: { series: Series }) {
  const { t } = useTranslation()
  const isInTurn = messages.length > 1 && state !== 'ended'
  return (
    <List component="span" size="sm" listStyleType="none">
      {messages.map(({ id, textContent }, place) => (
        <List.Item component="span" key={id} display="block">
          <Name>
            {`${messages.length > 1 ? `${place + 1}. ` : ''}${truncate(textContent, limits.titleLength)}`}
          </Name>
          {isInTurn && place === nextPosition && (
            <Text span size="xs" c="dimmed">
              {` ${t('SERIES.NEXT_MESSAGE')}`}
            </Text>
          )}
        </List.Item>
      ))}
    </List>
  )
}

function Recipients({ series }: { series: Series }) {
  const { t } = useTranslation()
  const { groups, groupSets, lists, contacts, phoneNumbers, excludedLists, isFrozen, frozenCount } = series
  const numbers = phoneNumbers.split(/[,;\t\n]/).filter((number) => number.trim() !== '').length
  const chosen = [
    ['FORM.GROUPS', groups],
    ['JOB.GROUP_SETS', groupSets],
    ['JOB.LISTS', lists],
    ['JOB.CONTACTS', contacts],
    ['JOB.EXCLUDED_LISTS', excludedLists],
  ] as const
  const line = (words: string, text: string) => (
    <Text key={words} span display="block" size="sm">
      {labelled(t(words), '')}
      <Name>{text}</Name>
    </Text>
  )
  return (
    <>
      {chosen.map(
        ([words, rows]) => rows.length > 0 && line(words, enumerated(rows.map(({ name }) => name))),
      )}
      {numbers > 0 && line('JOB.PHONE_NUMBERS', formatNumber(numbers))}
      {isFrozen && (
        <Text span display="block" size="xs" c="dimmed">
          {t('SERIES.FROZEN_COUNT', counted(frozenCount ?? 0))}
        </Text>
      )}
    </>
  )
}
