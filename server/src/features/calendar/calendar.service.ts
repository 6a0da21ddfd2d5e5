import type { CalendarDay, CalendarEntry, CalendarQuery } from '@sendroom/contract/calendar'
import { limits } from '@sendroom/contract/limits'
import { DAY_MS, wallClock } from '@sendroom/contract/wall-clock'
import { aboutEnds, type RoughPace, readRoughPaces } from '../../engine/index.ts'
import { type Caller, isAdmin, seesInstance } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import {
  countByDay,
  type Found,
  findFirstOfDays,
  findJobs,
  findRuns,
  type InstanceIds,
  type Key,
  type Span,
} from './calendar.queries.ts'
import { markCompeting } from './competing.ts'

/** Reads the days of a calendar in a constant number of queries, whatever they have. */
export async function readCalendar(
  db: Db,
  caller: Caller,
  query: CalendarQuery,
): Promise<{ days: CalendarDay[] }> {
  const instanceIds = shownInstances(caller, query)
  const [before, ...days] = daysOf(query)
  const perDay = days.length === 1 ? limits.calendarEntriesOfDay : query.perDay
  // The day before is read as well: what begins then may compete with what begins on the first day.
  const spans = [before, ...days].flatMap((day) => day ?? [])
  const [counts, keys] = await Promise.all([
    countByDay(db, instanceIds, days),
    findFirstOfDays(db, instanceIds, spans, perDay),
  ])
  const entries = await describe(db, caller, keys)
  return {
    days: days.map(({ day }, place) => {
      const count = counts[place] ?? 0
      return {
        day,
        count: Math.min(count, limits.calendarCount),
        isMore: count > limits.calendarCount,
        entries: entries.filter((entry) => entry.place === place + 2).map(({ place: _, ...entry }) => entry),
      }
    }),
  }
}

function shownInstances(caller: Caller, { instanceId }: CalendarQuery): InstanceIds {
  if (instanceId !== undefined) return seesInstance(caller, instanceId) ? [instanceId] : []
  return isAdmin(caller) ? null : caller.instanceIds
}

/** The days asked for and the one before, by the wall clock of the zone. */
function daysOf({ from, days, timeZone }: CalendarQuery): (Span & { day: string })[] {
  const { firstInstantOf } = wallClock(timeZone)
  const first = Date.parse(from) - DAY_MS
  const midnights = Array.from({ length: days + 2 }, (_, place) => first + place * DAY_MS)
  const instants = midnights.map((midnight) => new Date(firstInstantOf(midnight)).toISOString())
  return instants.slice(0, -1).map((since, place) => ({
    day: new Date(first + place * DAY_MS).toISOString().slice(0, 10),
    since,
    until: instants[place + 1] ?? since,
  }))
}

type Placed = CalendarEntry & { place: number }

async function describe(db: Db, caller: Caller, keys: readonly Key[]): Promise<Placed[]> {
  const ids = (kind: Key['kind']) => keys.filter((key) => key.kind === kind).map(({ id }) => id)
  const instanceIds = [...new Set(keys.map(({ instanceId }) => instanceId))]
  const [jobs, runs, roughPaces, { now }] = await Promise.all([
    findJobs(db, caller, ids('job')),
    findRuns(db, ids('run')),
    readRoughPaces(db, instanceIds),
    db.one<{ now: string }>(sql`select clock_now() as now`),
  ])
  const found = new Map([...jobs, ...runs].map((one) => [`${one.kind} ${one.id}`, one]))
  const paces = new Map(roughPaces.map((pace) => [pace.id, pace]))
  const endOf = endsAt(Date.parse(now))
  const placed = keys.flatMap(({ kind, id, place }) => {
    const one = found.get(`${kind} ${id}`)
    const pace = one && paces.get(one.instanceId)
    // Gone since the first query.
    return one && pace ? [{ ...entryOf(one, pace, endOf(one, pace)), place }] : []
  })
  return markCompeting(placed)
}

function entryOf(
  { instanceId, completedAt: _, left: __, ...entry }: Found,
  pace: RoughPace,
  end: string | null,
) {
  return { ...entry, instance: { id: instanceId, name: pace.name }, endsAt: end, competes: false }
}

/** When an entry ended or about when it ends. Nothing begins before now. */
function endsAt(now: number) {
  const aboutEnd = aboutEnds()
  return (
    { completedAt, startsAt, isPaused, review, left, jobType }: Found,
    pace: RoughPace,
  ): string | null => {
    // A job that was cancelled before its time.
    if (completedAt !== null) return completedAt < startsAt ? null : completedAt
    if (isPaused || review === 'overdue' || left === null) return null
    return new Date(aboutEnd(Math.max(now, Date.parse(startsAt)), left, jobType, pace)).toISOString()
  }
}
