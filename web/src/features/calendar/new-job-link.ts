import { dayOf, minuteOf } from '../../format.ts'

const HOUR_MS = 3_600_000
const MORNING = '09:00'

/** The choices for a new job on that day: at nine, or in the next full hour but one if that has passed. */
export function newJobOn(day: string, instanceId: number | undefined) {
  const soon = new Date(Date.now() + 2 * HOUR_MS)
  const isPast = `${day}T${MORNING}` <= minuteOf(new Date())
  // Late in the evening the next hour is on another day: then the form begins without a time.
  const start = !isPast
    ? `${day}T${MORNING}`
    : dayOf(soon) === day
      ? `${minuteOf(soon).slice(0, 13)}:00`
      : undefined
  return { ...(start && { start }), ...(instanceId && { instance: instanceId }) }
}
