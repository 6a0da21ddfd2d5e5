import { MINUTE_MS, wallClock } from '@sendroom/contract/wall-clock'

/** A minute of the wall clock of a zone, as inputs write it, and the instant of such a minute. */
export function minutesIn(timeZone: string) {
  const clock = wallClock(timeZone)
  return {
    minuteOf: (moment: number) =>
      new Date(Math.floor((moment + clock.offsetAt(moment)) / MINUTE_MS) * MINUTE_MS)
        .toISOString()
        .slice(0, 16),
    /** Returns other text unchanged, for the schema to refuse. */
    instantAt: (minute: string) => {
      const wall = Date.parse(`${minute}Z`)
      return Number.isNaN(wall) ? minute : new Date(clock.firstInstantOf(wall)).toISOString()
    },
  }
}
