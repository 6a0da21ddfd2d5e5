import { DAY_MS, MINUTE_MS, wallClock } from './wall-clock.ts'

/** Local times of day (HH:MM) in that zone. They may span midnight. */
export type QuietHours = { from: string; to: string; timeZone: string }

/** In ms since 1970. */
type QuietTime = { from: number; to: number }

/**
 * Returns a function that maps a moment (ms since 1970) to the quiet time that contains it or comes next. The moments
 * must not decrease, because the last answer is kept. The rule that holds back messages is `quiet_until` in SQL; a test
 * compares the two.
 */
export function quietTimes({ from, to, timeZone }: QuietHours): (moment: number) => QuietTime {
  const wall = wallClock(timeZone)
  const nights = from > to ? 1 : 0
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
