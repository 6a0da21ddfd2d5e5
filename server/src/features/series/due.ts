import { limits } from '@sendroom/contract/limits'
import type { Reason } from '@sendroom/contract/values'

/** A run whose time has come. */
export type DueRun = { id: number; state: 'planned' | 'waiting'; dueAt: string }

export type Mark = { id: number; state: 'missed' | 'skipped' | 'waiting'; reason: Reason }

type Present = {
  now: string
  overlap: 'skip' | 'wait'
  /** The job of the former run still sends. */
  isFormerLive: boolean
}

const LATE_MS = limits.seriesHoursLate * 3_600_000

const late: Reason = { code: 'run_late', params: { hours: limits.seriesHoursLate } }
const because = (code: Reason['code']): Reason => ({ code, params: {} })

/**
 * Decides what becomes of the due runs of a series, of which the last one may be made. A pure function.
 *
 * Several are due after an outage, or when quiet hours have moved them to one time. Sending them all at once would
 * help nobody, and a notice that comes hours late is worse than none.
 */
export function decide(due: readonly DueRun[], present: Present): { make: DueRun | null; marks: Mark[] } {
  const runs = due.toSorted((a, b) => Date.parse(a.dueAt) - Date.parse(b.dueAt) || a.id - b.id)
  const last = runs.pop()
  if (!last) return { make: null, marks: [] }
  const marks = runs.map((run) => replaced(run, last))
  const mark = markOf(last, present)
  return mark ? { make: null, marks: [...marks, ...mark] } : { make: last, marks }
}

function replaced(run: DueRun, last: DueRun): Mark {
  if (run.state === 'waiting') return { id: run.id, state: 'skipped', reason: because('run_overlaps') }
  if (run.dueAt === last.dueAt) return { id: run.id, state: 'skipped', reason: because('run_replaced') }
  return { id: run.id, state: 'missed', reason: late }
}

/** Null for a run that is to be made. */
function markOf({ id, state, dueAt }: DueRun, { now, overlap, isFormerLive }: Present): Mark[] | null {
  if (state === 'planned' && Date.parse(now) - Date.parse(dueAt) > LATE_MS)
    return [{ id, state: 'missed', reason: late }]
  if (!isFormerLive) return null
  if (overlap === 'skip') return [{ id, state: 'skipped', reason: because('run_overlaps') }]
  return state === 'waiting' ? [] : [{ id, state: 'waiting', reason: because('run_waits') }]
}
