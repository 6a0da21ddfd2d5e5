import type { Job } from '@sendroom/contract/jobs'

const MINUTE_MS = 60_000
/** Faster than one a second no pause holds it back: what it does now tells more than the account's pace. */
const FAST_A_MINUTE = 60

/** When the job is through, in ms since 1970; null when nobody can tell, or it is in this moment. */
export function endOf(
  { recipients, endsAt }: Pick<Job, 'recipients' | 'endsAt'>,
  now: number,
): number | null {
  const { waiting, sentLastMinute } = recipients
  if (waiting > 0 && sentLastMinute > FAST_A_MINUTE) return now + (waiting / sentLastMinute) * MINUTE_MS
  const end = endsAt === null ? now : Date.parse(endsAt)
  return end > now ? end : null
}
