import { Anchor, VisuallyHidden } from '@mantine/core'
import type { CalendarDay, CalendarEntry } from '@sendroom/contract/calendar'
import { IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { dayOf, formatNumber } from '../../format.ts'
import classes from './calendar.module.css'
import { dayInWords, monthInWords, monthOf, weekdayOf } from './calendar-days.ts'
import { ShortEntry } from './entry.tsx'
import { newJobOn } from './new-job-link.ts'
import { useDayKeys } from './use-day-keys.ts'

/** A cell shows so many. The rest is in the agenda of the day. */
export const SHOWN = 4

export type ViewProps = {
  days: CalendarDay[]
  /** The account to which the calendar is limited. */
  instanceId: number | undefined
  /** Asks for another time of an entry. Undefined without the right. */
  onMove: ((entry: CalendarEntry) => void) | undefined
}

type Props = ViewProps & {
  month: string
  onMonth: (month: string) => void
  onDrop: (entry: CalendarEntry, day: string) => void
}

/** The weeks of a month as a grid. Waiting jobs and single runs are dragged from day to day. */
export function MonthView({ days, month, onMonth, onDrop, ...props }: Props) {
  const { grid, cell } = useDayKeys({ days, month, onMonth })
  const [dragged, setDragged] = useState<CalendarEntry | null>(null)
  const weeks = Array.from({ length: days.length / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7))
  return (
    <table aria-label={monthInWords(month)} className={classes.month} {...grid}>
      <thead>
        <tr>
          {days.slice(0, 7).map(({ day }) => (
            <th key={day} scope="col" abbr={weekdayOf(day, 'long')}>
              {weekdayOf(day, 'short')}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]?.day}>
            {week.map((day) => (
              <Cell
                key={day.day}
                day={day}
                isOutside={monthOf(day.day) !== month}
                cell={cell(day.day)}
                onDrag={setDragged}
                onDrop={dragged && (() => onDrop(dragged, day.day))}
                {...props}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type CellProps = Omit<ViewProps, 'days'> & {
  day: CalendarDay
  isOutside: boolean
  cell: ReturnType<ReturnType<typeof useDayKeys>['cell']>
  onDrag: (entry: CalendarEntry | null) => void
  /** Null while nothing is dragged. */
  onDrop: (() => void) | null
}

function Cell({
  day: { day, entries, count, isMore },
  isOutside,
  cell,
  onDrag,
  onDrop,
  instanceId,
  onMove,
}: CellProps) {
  const { t } = useTranslation()
  const [isOver, setIsOver] = useState(false)
  const today = dayOf(new Date())
  const tabIndex = cell.tabIndex === 0 ? undefined : -1
  const number = isMore ? t('CALENDAR.MORE_THAN', { number: formatNumber(count) }) : formatNumber(count)
  return (
    <td
      {...cell}
      data-outside={isOutside || undefined}
      data-today={day === today || undefined}
      data-target={(isOver && onDrop !== null) || undefined}
      {...(onDrop && {
        onDragOver: (event) => {
          event.preventDefault()
          setIsOver(true)
        },
        onDragLeave: () => setIsOver(false),
        onDrop: (event) => {
          event.preventDefault()
          setIsOver(false)
          onDrop()
        },
      })}
    >
      <div className={classes.head}>
        <time dateTime={day} aria-current={day === today ? 'date' : undefined}>
          <span aria-hidden>{Number(day.slice(8))}</span>
          <VisuallyHidden>{dayInWords(day)}</VisuallyHidden>
        </time>
        {onMove && day >= today && <AddJob day={day} instanceId={instanceId} tabIndex={tabIndex} />}
      </div>
      {entries.length > 0 && (
        <ul className={classes.entries}>
          {entries.slice(0, SHOWN).map((entry) => (
            <ShortEntry key={`${entry.kind}${entry.id}`} {...{ entry, onMove, onDrag, tabIndex }} />
          ))}
        </ul>
      )}
      {(count > SHOWN || isMore) && (
        <DayLink day={day} tabIndex={tabIndex}>
          {t('CALENDAR.SHOW_ALL', { number })}
        </DayLink>
      )}
    </td>
  )
}

type DayLinkProps = { day: string; tabIndex?: number | undefined; children: string }

/** Leads to the agenda of one day. */
export const DayLink = ({ day, tabIndex, children }: DayLinkProps) => (
  <Anchor
    size="sm"
    renderRoot={(props) => (
      <Link
        {...props}
        tabIndex={tabIndex}
        to="/calendar"
        search={(before: object) => ({ ...before, month: undefined, view: 'agenda', day })}
      />
    )}
  >
    {children}
  </Anchor>
)

type AddJobProps = { day: string; instanceId: number | undefined; tabIndex?: number | undefined }

/** Leads to the form for a new job on that day. */
export function AddJob({ day, instanceId, tabIndex }: AddJobProps) {
  const { t } = useTranslation()
  const label = t('CALENDAR.ADD_ON', { day: dayInWords(day) })
  return (
    <Link
      to="/jobs/new"
      search={newJobOn(day, instanceId)}
      className={classes.add}
      tabIndex={tabIndex}
      aria-label={label}
      title={label}
    >
      <IconPlus size={16} aria-hidden />
    </Link>
  )
}
