import { Button, Group, SegmentedControl, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { CalendarEntry } from '@sendroom/contract/calendar'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { usePolling } from '../../api/event-stream.ts'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { dayOf } from '../../format.ts'
import { InstanceSelect } from '../../forms/instance-select.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { addToast } from '../../ui/toasts.ts'
import { AgendaView } from './agenda-view.tsx'
import classes from './calendar.module.css'
import {
  addDays,
  addMonths,
  dayInWords,
  daysOfMonth,
  monthInWords,
  monthOf,
  type Span,
  weeksOfMonth,
} from './calendar-days.ts'
import { type CalendarSearch, readCalendarSearch } from './calendar-search.ts'
import { MonthView, SHOWN } from './month-view.tsx'
import { onDay, useMove } from './use-move.ts'

const MoveEntryDialog = lazyComponent(async () => (await import('./move-entry-dialog.tsx')).MoveEntryDialog)

const POLL_MS = 60_000
const HEIGHT = 600
/** An agenda begins with the present day. */
const UPCOMING_DAYS = 31
const ACCOUNTS_PER_PAGE = 1000
/** A month needs the width of seven columns. */
const NARROW = '(max-width: 48em)'

/** The jobs and the runs of series by day. On a phone always as an agenda. */
export function CalendarPage() {
  const { t } = useTranslation()
  const search = readCalendarSearch(useSearch({ strict: false }))
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false })
  const isAllowed = mayDo('canCreateJobs', useCurrentUser())
  const [moved, setMoved] = useState<CalendarEntry | null>(null)
  const drop = useDrop()
  const go = useGo(search)
  const month = search.day ? monthOf(search.day) : (search.month ?? monthOf(dayOf(new Date())))
  const isAgenda = isNarrow || search.view === 'agenda' || search.day !== undefined
  const isUpcoming = isAgenda && search.day === undefined && search.month === undefined
  const span = isUpcoming
    ? { from: dayOf(new Date()), days: UPCOMING_DAYS }
    : spanOf(search.day, month, isAgenda)
  const { data, isLoadingError, isPlaceholderData, refetch } = useDays(
    span,
    search.instance,
    isAgenda ? undefined : SHOWN,
  )
  const view = {
    days: data?.days ?? [],
    instanceId: search.instance,
    onMove: isAllowed ? setMoved : undefined,
  }
  return (
    <>
      <Group justify="space-between" mb="md">
        <PageTitle>{t('CALENDAR.TITLE')}</PageTitle>
        <Text size="sm" c="dimmed">
          {t('CALENDAR.ZONE')}
        </Text>
      </Group>
      <Controls
        search={search}
        month={month}
        isAgenda={isAgenda}
        canChoose={!isNarrow}
        isUpcoming={isUpcoming}
      />
      {data ? (
        <div aria-busy={isPlaceholderData} className={classes.view}>
          {isEmpty(data.days) && (
            <Text c="dimmed" mb="sm">
              {t(isAllowed ? 'CALENDAR.EMPTY' : 'CALENDAR.EMPTY_READER')}
            </Text>
          )}
          {isAgenda ? (
            <AgendaView {...view} />
          ) : (
            <MonthView {...view} month={month} onMonth={(other) => go({ month: other })} onDrop={drop} />
          )}
        </div>
      ) : isLoadingError ? (
        <LoadFailed retry={refetch} />
      ) : (
        <Loading height={HEIGHT} />
      )}
      {moved && <MoveEntryDialog entry={moved} onClose={() => setMoved(null)} />}
    </>
  )
}

function spanOf(day: string | undefined, month: string, isAgenda: boolean): Span {
  if (day) return { from: day, days: 1 }
  return isAgenda ? daysOfMonth(month) : weeksOfMonth(month)
}

const isEmpty = (days: { count: number }[]) => days.every(({ count }) => count === 0)

function useDays({ from, days }: Span, instanceId: number | undefined, perDay: number | undefined) {
  const polling = usePolling()
  const query = { from, days, ...(instanceId && { instanceId }), ...(perDay && { perDay }) }
  return useQuery({
    queryKey: ['calendar', 'GET /calendar', query],
    queryFn: ({ signal }) => call('GET /calendar', { query }, signal),
    refetchInterval: () => polling(POLL_MS),
    // The days shown stay until the next ones are there.
    placeholderData: keepPreviousData,
    meta: { isQuiet: true },
  })
}

/** Moves what was dropped on a day to the same time of that day. */
function useDrop() {
  const { t } = useTranslation()
  const move = useMove()
  return (entry: CalendarEntry, day: string) => {
    if (day === dayOf(new Date(entry.startsAt))) return
    const at = onDay(entry.startsAt, day)
    if (Date.parse(at) <= Date.now()) addToast({ type: 'error', msg: t('CALENDAR.PASSED') })
    // A toast has said why.
    else move(entry, at).catch(() => undefined)
  }
}

/** Changes a part of the address. */
function useGo(search: CalendarSearch) {
  const navigate = useNavigate()
  return (change: { [K in keyof CalendarSearch]?: CalendarSearch[K] | undefined }) =>
    navigate({ to: '/calendar', search: readCalendarSearch({ ...search, ...change }) })
}

type ControlsProps = {
  search: CalendarSearch
  month: string
  isAgenda: boolean
  isUpcoming: boolean
  canChoose: boolean
}

/** The time, the view and the account. All of them are in the address. */
function Controls({ search, month, isAgenda, isUpcoming, canChoose }: ControlsProps) {
  const { t } = useTranslation()
  const go = useGo(search)
  const { day } = search
  const step = (by: 1 | -1) => go(day ? { day: addDays(day, by) } : { month: addMonths(month, by) })
  const [before, after] = day
    ? ['CALENDAR.DAY_BEFORE', 'CALENDAR.DAY_AFTER']
    : ['CALENDAR.MONTH_BEFORE', 'CALENDAR.MONTH_AFTER']
  return (
    <div className={classes.controls}>
      <Group gap="xs">
        <Button variant="default" px="xs" aria-label={t(before)} title={t(before)} onClick={() => step(-1)}>
          <IconChevronLeft size={18} aria-hidden />
        </Button>
        <Button variant="default" onClick={() => go(day ? { day: dayOf(new Date()) } : { month: undefined })}>
          {t('CALENDAR.TODAY')}
        </Button>
        <Button variant="default" px="xs" aria-label={t(after)} title={t(after)} onClick={() => step(1)}>
          <IconChevronRight size={18} aria-hidden />
        </Button>
        <Text fw={600} aria-live="polite" className={classes.period}>
          {isUpcoming
            ? t('CALENDAR.UPCOMING', { number: UPCOMING_DAYS })
            : day
              ? dayInWords(day)
              : monthInWords(month)}
        </Text>
        {(day || isUpcoming) && (
          <Button variant="subtle" onClick={() => go({ day: undefined, month })}>
            {t('CALENDAR.WHOLE_MONTH')}
          </Button>
        )}
      </Group>
      {canChoose && (
        <SegmentedControl
          aria-label={t('CALENDAR.VIEW')}
          value={isAgenda ? 'agenda' : 'month'}
          onChange={(view) =>
            go({ ...(day && { day: undefined, month }), view: view === 'agenda' ? 'agenda' : undefined })
          }
          data={[
            { value: 'month', label: t('CALENDAR.MONTH') },
            { value: 'agenda', label: t('CALENDAR.AGENDA') },
          ]}
        />
      )}
      <InstanceSelect
        pageSize={ACCOUNTS_PER_PAGE}
        label={t('CALENDAR.ACCOUNT')}
        value={search.instance ?? 0}
        onChange={(instance) => go({ instance: instance || undefined })}
        clearable
      />
    </div>
  )
}
