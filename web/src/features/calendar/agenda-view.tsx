import { Text, Title } from '@mantine/core'
import type { CalendarDay } from '@sendroom/contract/calendar'
import { useTranslation } from 'react-i18next'
import { dayOf, formatNumber } from '../../format.ts'
import classes from './calendar.module.css'
import { dayInWords } from './calendar-days.ts'
import { LongEntry } from './entry.tsx'
import { AddJob, DayLink, type ViewProps } from './month-view.tsx'

/** The days one below the other, each with what its entries are. */
export function AgendaView({ days, ...props }: ViewProps) {
  const today = dayOf(new Date())
  // A day that is over without anything tells nothing.
  const shown = days.filter(({ day, count }) => count > 0 || day >= today || days.length === 1)
  return shown.map((day) => (
    <Day key={day.day} day={day} isAlone={days.length === 1} isAhead={day.day >= today} {...props} />
  ))
}

type DayProps = Omit<ViewProps, 'days'> & { day: CalendarDay; isAlone: boolean; isAhead: boolean }

function Day({ day: { day, entries, count, isMore }, isAlone, isAhead, instanceId, onMove }: DayProps) {
  const { t } = useTranslation()
  const number = isMore ? t('CALENDAR.MORE_THAN', { number: formatNumber(count) }) : formatNumber(count)
  const hasMore = isMore || count > entries.length
  return (
    <section className={classes.day} aria-label={dayInWords(day)}>
      <div className={classes.head}>
        <Title order={2} size="h5">
          {dayInWords(day)}
        </Title>
        {onMove && isAhead && <AddJob day={day} instanceId={instanceId} />}
      </div>
      {entries.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('CALENDAR.EMPTY_DAY')}
        </Text>
      ) : (
        <ul className={classes.entries}>
          {entries.map((entry) => (
            <LongEntry key={`${entry.kind}${entry.id}`} entry={entry} onMove={onMove} />
          ))}
        </ul>
      )}
      {hasMore &&
        (isAlone ? (
          <Text size="sm">{t('CALENDAR.ONLY_FIRST', { shown: formatNumber(entries.length), number })}</Text>
        ) : (
          <DayLink day={day}>{t('CALENDAR.SHOW_ALL', { number })}</DayLink>
        ))}
    </section>
  )
}
