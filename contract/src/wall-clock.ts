export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

/** Local time in a zone, as ms since 1970 as if it were UTC. */
export function wallClock(timeZone: string) {
  const zone = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })

  /** Local time minus UTC, in ms. */
  function offsetAt(moment: number): number {
    const [, sign, hours = 0, minutes = 0] = zone.format(moment).match(/GMT([+-])(\d\d):(\d\d)/) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS
  }

  /** The instants of a local time by the offsets of the days before and after. */
  const instantsOf = (wall: number) =>
    [wall - offsetAt(wall - DAY_MS), wall - offsetAt(wall + DAY_MS)] as const

  const shows = (moment: number, wall: number) => moment + offsetAt(moment) === wall

  /** Like PostgreSQL: a local time that is skipped counts by the old offset, one that occurs twice by the new one. */
  function instantOf(wall: number): number {
    const [before, after] = instantsOf(wall)
    return shows(after, wall) ? after : before
  }

  /** A local time that is skipped counts as the first instant after the gap, one that occurs twice as the first. */
  function firstInstantOf(wall: number): number {
    const [before, after] = instantsOf(wall)
    if (shows(before, wall)) return before
    if (shows(after, wall)) return after
    return endOfGap(after, before)
  }

  /** Clocks change at whole minutes. `from` is before the gap, `to` after. */
  function endOfGap(from: number, to: number): number {
    if (to - from <= MINUTE_MS) return to
    const middle = from + Math.floor((to - from) / 2 / MINUTE_MS) * MINUTE_MS
    return offsetAt(middle) === offsetAt(to) ? endOfGap(from, middle) : endOfGap(middle, to)
  }

  return { offsetAt, instantOf, firstInstantOf }
}
