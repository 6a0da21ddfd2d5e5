import { Button, Group, Text } from '@mantine/core'
import type { DashboardDay } from '@sendroom/contract/dashboard'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { memo, useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { download } from '../../api/download.ts'
import { usePolling } from '../../api/event-stream.ts'
import { dayOf } from '../../format.ts'
import { DownloadButton } from '../../lists/download-button.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Section } from '../../ui/section.tsx'
import { DaysChart } from './days-chart.tsx'
import { DaysTable } from './days-table.tsx'

const InstanceSelect = lazyComponent(
  async () => (await import('../../forms/instance-select.tsx')).InstanceSelect,
)

const REFRESH_MS = 60_000
const HEIGHT = 320
const ACCOUNTS_PER_PAGE = 1000

/** The messages of each of the last 30 days, of all instances or of one. */
export function Days() {
  const { t } = useTranslation()
  const [instanceId, setInstanceId] = useState(0)
  const [isChoosing, setIsChoosing] = useState(false)
  const query = instanceId === 0 ? {} : { instanceId }
  const polling = usePolling()
  const { data, isLoadingError, refetch } = useQuery({
    queryKey: ['dashboard', 'GET /dashboard/days', query],
    queryFn: ({ signal }) => call('GET /dashboard/days', { query }, signal),
    refetchInterval: polling(REFRESH_MS),
    // The days of the former instance stay until those of the next one are there.
    placeholderData: keepPreviousData,
    meta: { isQuiet: true },
  })
  const drawn = useDeferredValue(data)
  return (
    <Section title={t('DASHBOARD.DAYS')}>
      <Group justify="space-between" align="flex-end" mb="sm">
        {isChoosing ? (
          <InstanceSelect
            pageSize={ACCOUNTS_PER_PAGE}
            value={instanceId}
            onChange={setInstanceId}
            clearable
            description={t('DASHBOARD.ALL_ACCOUNTS_HINT')}
          />
        ) : (
          // The instances are read only if somebody asks for one.
          <Button variant="default" size="compact-sm" onClick={() => setIsChoosing(true)}>
            {t('DASHBOARD.CHOOSE_ACCOUNT')}
          </Button>
        )}
        <ExportDays query={query} />
      </Group>
      {drawn ? (
        <Content days={drawn.days} />
      ) : isLoadingError ? (
        <LoadFailed retry={refetch} />
      ) : (
        <Loading height={HEIGHT} />
      )}
    </Section>
  )
}

const Content = memo(({ days }: { days: DashboardDay[] }) => {
  const { t } = useTranslation()
  if (days.every(({ sent, failed }) => sent + failed === 0))
    return <Text c="dimmed">{t('DASHBOARD.NO_DAYS')}</Text>
  return (
    <>
      <DaysChart days={days} />
      <DaysTable days={days} />
    </>
  )
})

function ExportDays({ query }: { query: { instanceId?: number } }) {
  const { t } = useTranslation()
  return (
    <DownloadButton
      size="compact-sm"
      text={t('JOB.EXPORT_CSV')}
      words={{ success: 'DASHBOARD.DAYS_EXPORTED', failure: 'DASHBOARD.DAYS_EXPORT_FAILED' }}
      save={() => download('GET /dashboard/days/export', { query }, `Days_${dayOf(new Date())}.csv`)}
    />
  )
}
