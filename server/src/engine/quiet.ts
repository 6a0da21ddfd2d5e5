const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Times of day (HH:MM) on the wall in that zone; may span midnight. */
export type QuietHours = { from: string; to: string; timeZone: string }

/** From and to, in ms since 1970. */
type QuietTime = { from: number; to: number }

/**
 * Says for a moment (ms since 1970) which quiet time it lies in, or comes next. Made for moments that only grow:
 * the last answer is kept. The rule that holds back messages is `quiet_until` in SQL; a test holds the two together.
 */
export function quietTimes({ from, to, timeZone }: QuietHours): (moment: number) => QuietTime {
  const wall = wallClock(timeZone)
  const nights = from < to ? 0 : 1
  const quietOf = (day: number): QuietTime => ({
    from: wall.instantOf(day * DAY_MS + minutesOf(from) * MINUTE_MS),
    to: wall.instantOf((day + nights) * DAY_MS + minutesOf(to) * MINUTE_MS),
  })
  let known: QuietTime = { from: 0, to: 0 }
  return (moment) => {
    if (moment < known.to) return known
    let day = Math.floor((moment + wall.offsetAt(moment)) / DAY_MS) - 1
    do known = quietOf(day++)
    while (known.to <= moment)
    return known
  }
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

/** What the clock on the wall shows in a zone, as ms since 1970 as if it were UTC. */
function wallClock(timeZone: string) {
  const zone = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })

  /** Wall minus UTC, in ms. */
  function offsetAt(moment: number): number {
    const [, sign, hours = 0, minutes = 0] = zone.format(moment).match(/GMT([+-])(\d\d):(\d\d)/) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS
  }

  /** As PostgreSQL reads it: a time the clock leaps over by the old offset, one it shows twice by the new one. */
  function instantOf(wall: number): number {
    const before = wall - offsetAt(wall - DAY_MS)
    const after = wall - offsetAt(wall + DAY_MS)
    return after + offsetAt(after) === wall ? after : before
  }

  return { offsetAt, instantOf }
}
