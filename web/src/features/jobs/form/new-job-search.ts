import { idOf } from '../../../address.ts'

/** The choices that an address makes in the form for a new job. */
type NewJobSearch = {
  message?: number
  instance?: number
  /** A minute in Vietnam, such as `2026-11-30T09:00`. */
  start?: string
}

/** Reads them. Invalid values are dropped, since anybody can type an address. */
export function readNewJobSearch(raw: Record<string, unknown>): NewJobSearch {
  const [message, instance] = [raw.message, raw.instance].map((id) => idOf({ id: String(id) }))
  const start = String(raw.start)
  const isMinute = /^2\d{3}-\d\d-\d\dT\d\d:\d\d$/.test(start) && !Number.isNaN(Date.parse(start))
  return { ...(message && { message }), ...(instance && { instance }), ...(isMinute && { start }) }
}
