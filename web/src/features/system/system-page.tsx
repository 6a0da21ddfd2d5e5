import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { hasRemedy, type Level, levelOf } from '@sendroom/contract/findings'
import type { Finding } from '@sendroom/contract/system'
import { IconRefresh } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { formatNumber, formatSecond } from '../../format.ts'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Name } from '../../ui/name.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { Section } from '../../ui/section.tsx'

const LOADING_HEIGHT = 400
const colors: Record<Level, string> = { error: 'red', warning: 'orange', ok: 'green' }
const names: Record<Level, string> = {
  error: 'SYSTEM.LEVEL_ERROR',
  warning: 'SYSTEM.LEVEL_WARNING',
  ok: 'SYSTEM.LEVEL_OK',
}
const weights: Record<Level, number> = { error: 0, warning: 1, ok: 2 }

/** Lists what works in this installation and what does not. The command `doctor` prints the same. */
export function SystemPage() {
  const { t } = useTranslation()
  const { data, dataUpdatedAt, isPending, isError, isFetching, refetch } = useRead('GET /system', {})
  return (
    <Stack>
      <Group justify="space-between">
        <PageTitle>{t('SYSTEM.TITLE')}</PageTitle>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={isFetching}
          onClick={() => refetch()}
        >
          {t('SYSTEM.CHECK_AGAIN')}
        </Button>
      </Group>
      {isPending && <Loading height={LOADING_HEIGHT} />}
      {isError && <LoadFailed retry={refetch} />}
      {data && <Findings findings={data.findings} checkedAt={new Date(dataUpdatedAt).toISOString()} />}
    </Stack>
  )
}

function Findings({ findings, checkedAt }: { findings: Finding[]; checkedAt: string }) {
  const { t } = useTranslation()
  const weightOf = ({ code }: Finding) => weights[levelOf(code)]
  const sorted = findings.toSorted((a, b) => weightOf(a) - weightOf(b))
  const [troubles, fine] = [true, false].map((isTrouble) =>
    sorted.filter(({ code }) => (levelOf(code) !== 'ok') === isTrouble),
  )
  return (
    <>
      <Text size="sm" c="dimmed" aria-live="polite">
        {t('SYSTEM.CHECKED', { time: formatSecond(checkedAt) })}
      </Text>
      {troubles?.length === 0 ? (
        <Text fw={500}>{t('SYSTEM.ALL_WELL')}</Text>
      ) : (
        <FindingList title={t('SYSTEM.TROUBLES')} findings={troubles ?? []} />
      )}
      <FindingList title={t('SYSTEM.FINE')} findings={fine ?? []} />
    </>
  )
}

const FindingList = ({ title, findings }: { title: string; findings: Finding[] }) => (
  <Section title={title}>
    <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
      {findings.map((finding) => (
        <li key={JSON.stringify(finding)}>
          <FindingRow finding={finding} />
        </li>
      ))}
    </Stack>
  </Section>
)

const formatted = (params: Finding['params']) =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'number' ? formatNumber(value) : value,
    ]),
  )

function FindingRow({ finding }: { finding: Finding }) {
  const { t } = useTranslation()
  const { code } = finding
  const params = formatted(finding.params)
  const level = levelOf(code)
  return (
    <Group gap="sm" align="flex-start" wrap="nowrap">
      <Badge variant="light" color={colors[level]} miw={90} flex="none">
        {t(names[level])}
      </Badge>
      <div>
        <Name>{t(`FINDING.${code}`, params)}</Name>
        {hasRemedy(code) && (
          <Text size="sm" c="dimmed">
            {t(`REMEDY.${code}`, params)}
          </Text>
        )}
      </div>
    </Group>
  )
}
