import { idOf } from '../../../address.ts'

/** The choices that an address makes in the form for a new job. */
type NewJobSearch = { message?: number; instance?: number }

/** Reads them. Invalid values are dropped, since anybody can type an address. */
export function readNewJobSearch(raw: Record<string, unknown>): NewJobSearch {
  const [message, instance] = [raw.message, raw.instance].map((id) => idOf({ id: String(id) }))
  return { ...(message && { message }), ...(instance && { instance }) }
}
