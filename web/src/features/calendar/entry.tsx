import { ActionIcon, Anchor, Badge, type MantineColor, Text } from '@mantine/core'
import type { CalendarEntry } from '@sendroom/contract/calendar'
import {
  IconAlertTriangle,
  IconCalendarTime,
  IconCheck,
  IconClock,
  IconPlayerPause,
  IconPlayerPlay,
  IconRepeat,
  IconUserQuestion,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { DragEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { dayOf, formatDateTime, minuteOf } from '../../format.ts'
import { counted } from '../../i18n/words.ts'
import { Name } from '../../ui/name.tsx'
import classes from './calendar.module.css'

type State = CalendarEntry['state']

/** The words, color and icon of each state. */
const states: Record<State, { words: string; color: MantineColor; icon: TablerIcon }> = {
  Pending: { words: 'JOB.STATUS_PENDING', color: 'yellow', icon: IconClock },
  Running: { words: 'JOB.STATUS_RUNNING', color: 'cyan', icon: IconPlayerPlay },
  Completed: { words: 'JOB.STATUS_COMPLETED', color: 'green', icon: IconCheck },
  Failed: { words: 'JOB.STATUS_FAILED', color: 'red', icon: IconX },
  Cancelled: { words: 'JOB.STATUS_CANCELLED', color: 'gray', icon: IconX },
  planned: { words: 'SERIES.RUN_PLANNED', color: 'yellow', icon: IconRepeat },
  waiting: { words: 'SERIES.RUN_WAITING', color: 'yellow', icon: IconClock },
  missed: { words: 'SERIES.RUN_MISSED', color: 'red', icon: IconX },
  skipped: { words: 'SERIES.RUN_SKIPPED', color: 'gray', icon: IconX },
  failed: { words: 'SERIES.RUN_FAILED', color: 'red', icon: IconX },
}

export type EntryProps = {
  entry: CalendarEntry
  /** Asks for another time. Without it the entry can't be moved. */
  onMove: ((entry: CalendarEntry) => void) | undefined
  /** Takes what is in the entry out of the order of the Tab key. */
  tabIndex?: number | undefined
}

/** An entry of a day in the month: time, name and signs. */
export function ShortEntry({
  entry,
  onMove,
  onDrag,
  tabIndex,
}: EntryProps & { onDrag: (entry: CalendarEntry | null) => void }) {
  const { t } = useTranslation()
  const { words, icon: Icon } = states[entry.state]
  const isMovable = entry.isMovable && onMove !== undefined
  const drag = {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.effectAllowed = 'move'
      onDrag(entry)
    },
    onDragEnd: () => onDrag(null),
  }
  return (
    <li className={classes.short} data-state={entry.state} {...(isMovable && drag)}>
      <EntryLink entry={entry} className={classes.link} tabIndex={tabIndex}>
        <span className={classes.signs}>
          <Icon size={14} role="img" aria-label={t(words)} className={classes.icon} />
          {entry.isPaused && (
            <IconPlayerPause size={14} role="img" aria-label={t('JOB.PAUSED')} className={classes.icon} />
          )}
          {waitsFor(entry) && (
            <IconUserQuestion size={14} role="img" aria-label={t(waitsFor(entry))} className={classes.icon} />
          )}
          {entry.competes && (
            <IconAlertTriangle
              size={14}
              role="img"
              aria-label={t('CALENDAR.COMPETES')}
              className={classes.warning}
            />
          )}
          <time dateTime={entry.startsAt}>{timeOf(entry.startsAt)}</time>
        </span>
        <bdi className={classes.name}>{entry.name}</bdi>
      </EntryLink>
      {isMovable && <MoveButton {...{ entry, onMove, tabIndex }} />}
    </li>
  )
}

/** An entry of the agenda, with all that the calendar knows of it. */
export function LongEntry({ entry, onMove }: EntryProps) {
  const { t } = useTranslation()
  const { words, color } = states[entry.state]
  const { startsAt, endsAt, recipientCount } = entry
  return (
    <li className={classes.long}>
      <time dateTime={startsAt} className={classes.time}>
        {timeOf(startsAt)}
      </time>
      <div className={classes.what}>
        <EntryLink entry={entry}>
          <Name>{entry.name}</Name>
        </EntryLink>
        <Text size="sm" c="dimmed">
          <Name>{entry.instance.name}</Name>
          {recipientCount !== null && ` · ${t('CALENDAR.RECIPIENTS', counted(recipientCount))}`}
          {endsAt !== null &&
            ` · ${t(isOver(entry) ? 'CALENDAR.ENDED' : 'CALENDAR.ENDS', { time: endText(entry) })}`}
        </Text>
        <div className={classes.badges}>
          <Badge variant="light" color={color}>
            {t(words)}
          </Badge>
          {entry.seriesId !== null && (
            <Badge variant="outline" color="gray" leftSection={<IconRepeat size={12} aria-hidden />}>
              {t('CALENDAR.OF_SERIES')}
            </Badge>
          )}
          {entry.isPaused && (
            <Badge variant="outline" color="gray">
              {t('JOB.PAUSED')}
            </Badge>
          )}
          {waitsFor(entry) && (
            <Badge variant="light" color="cyan" leftSection={<IconUserQuestion size={12} aria-hidden />}>
              {t(waitsFor(entry))}
            </Badge>
          )}
          {entry.competes && (
            <Badge variant="light" color="orange" leftSection={<IconAlertTriangle size={12} aria-hidden />}>
              {t('CALENDAR.COMPETES')}
            </Badge>
          )}
        </div>
      </div>
      {entry.isMovable && onMove && <MoveButton entry={entry} onMove={onMove} />}
    </li>
  )
}

/** The words for an approval that is missing. Empty if none is. */
const waitsFor = ({ review }: CalendarEntry) =>
  review === null || review === 'approved' ? '' : `JOB.REVIEW_${review.toUpperCase()}`

const isOver = ({ state }: CalendarEntry) =>
  state === 'Completed' || state === 'Failed' || state === 'Cancelled'

const timeOf = (instant: string) => minuteOf(new Date(instant)).slice(11)

/** The time of the end, with its day if that is another one. */
const endText = ({ startsAt, endsAt }: CalendarEntry) =>
  endsAt !== null && dayOf(new Date(endsAt)) !== dayOf(new Date(startsAt))
    ? formatDateTime(endsAt)
    : timeOf(endsAt ?? startsAt)

type LinkProps = Pick<EntryProps, 'entry' | 'tabIndex'> & { className?: string; children: React.ReactNode }

/** Leads to the job, or to the series of the run. */
function EntryLink({ entry: { kind, id, seriesId }, className, tabIndex, children }: LinkProps) {
  const to = kind === 'job' ? '/jobs/$id' : '/series/$id'
  const params = { id: String(kind === 'job' ? id : seriesId) }
  return (
    <Anchor
      size="sm"
      {...(className && { className })}
      // Dragging moves the entry, not the link.
      renderRoot={(props) => (
        <Link {...props} to={to} params={params} tabIndex={tabIndex} draggable={false} />
      )}
    >
      {children}
    </Anchor>
  )
}

type MoveProps = Omit<EntryProps, 'onMove'> & { onMove: (entry: CalendarEntry) => void }

function MoveButton({ entry, onMove, tabIndex }: MoveProps) {
  const { t } = useTranslation()
  const label = t('CALENDAR.MOVE', { name: entry.name })
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="md"
      className={classes.move}
      tabIndex={tabIndex}
      aria-label={label}
      title={label}
      onClick={() => onMove(entry)}
    >
      <IconCalendarTime size={16} aria-hidden />
    </ActionIcon>
  )
}
