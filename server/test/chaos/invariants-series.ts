import { CLOCK_STEP_MS, type Evidence } from './evidence.ts'
import type { LogEntry } from './instruments.ts'

/** Each occurrence of a series makes exactly one job, or is missed, skipped or failed with its reason. */
export const seriesInvariants: ((evidence: SeriesEvidence) => string[])[] = [
  jobsBelongToOneRun,
  runsEndOnce,
  noOccurrenceIsForgotten,
  runsAreMadeInTime,
  missedRunsWereLate,
  onlyActiveSeriesMakeRuns,
]

type SeriesEvidence = Pick<Evidence, 'log' | 'runs'>

const LATE_MS = 2 * 3_600_000

const runsIn = (log: LogEntry[]) => log.filter(({ kind }) => kind === 'run')

function jobsBelongToOneRun({ log }: SeriesEvidence) {
  const made = runsIn(log).filter(({ became }) => became === 'made')
  return log
    .filter(({ kind }) => kind === 'job of run')
    .map(({ jobId }) => ({ jobId, runs: made.filter((entry) => entry.jobId === jobId) }))
    .filter(({ runs }) => runs.length !== 1)
    .map(({ jobId, runs }) => `Job ${jobId} belongs to ${runs.length} runs: ${format(runs)}`)
}

/** Only a quiet time that skipped a run may be changed, and the run dropped for another. */
function runsEndOnce({ log }: SeriesEvidence) {
  const isOpen = ({ was, became, reason }: LogEntry) =>
    was === null || was === 'planned' || was === 'waiting' || (became === 'deleted' && reason === 'run_quiet')
  return runsIn(log)
    .filter((entry) => !isOpen(entry))
    .map((entry) => `A run changed after its end: ${format([entry])}`)
}

/** An edit may drop a run only before its time. Afterwards the run is over, or has yet to come. */
function noOccurrenceIsForgotten({ log, runs }: SeriesEvidence) {
  const dropped = occurrencesIn(log)
    .flatMap((entries) => entries.slice(-1))
    .filter(({ became, at, dueAt }) => became === 'deleted' && Date.parse(at) > timeOf(dueAt) + CLOCK_STEP_MS)
    .map((entry) => `A run was dropped when it was due: ${format([entry])}`)
  const open = runs
    .filter(({ state, isDue, reason, outcome }) =>
      state === 'planned'
        ? isDue
        : state === 'made'
          ? outcome === null
          : state === 'waiting' || reason === null,
    )
    .map((run) => `A run has no outcome: ${JSON.stringify(run)}`)
  return [...dropped, ...open]
}

/** Not before its time, and no more than two hours after it. A run that waited for the former one may be later. */
function runsAreMadeInTime({ log }: SeriesEvidence) {
  return runsIn(log)
    .filter(({ was, became }) => was === 'planned' && became === 'made')
    .filter(({ at, dueAt }) => {
      const lateMs = Date.parse(at) - timeOf(dueAt)
      return lateMs < -CLOCK_STEP_MS || lateMs > LATE_MS + CLOCK_STEP_MS
    })
    .map((entry) => `A run was not made in time: ${format([entry])}`)
}

/** More than two hours late, or a later run of the series was due, too. */
function missedRunsWereLate({ log }: SeriesEvidence) {
  return runsIn(log)
    .filter(({ became }) => became === 'missed')
    .filter(({ id, at, dueAt, seriesId }) => {
      const known = latestOf(runsIn(log).filter((entry) => entry.seriesId === seriesId && entry.id < id))
      const isReplaced = known.some(
        (entry) =>
          entry.became !== 'deleted' &&
          timeOf(entry.dueAt) > timeOf(dueAt) &&
          timeOf(entry.dueAt) < Date.parse(at) + CLOCK_STEP_MS,
      )
      return !isReplaced && Date.parse(at) - timeOf(dueAt) < LATE_MS - CLOCK_STEP_MS
    })
    .map((entry) => `A run was missed without being late: ${format([entry])}`)
}

function onlyActiveSeriesMakeRuns({ log }: SeriesEvidence) {
  const states = new Map<number | null, string | null>()
  const violations: string[] = []
  for (const entry of log) {
    if (entry.kind === 'series') states.set(entry.seriesId, entry.became)
    const isActive = states.get(entry.seriesId) === 'active'
    const isMade = entry.kind === 'run' && entry.became === 'made'
    const isForPause =
      entry.kind === 'run' && entry.reason === 'run_series_paused' && entry.was !== entry.became
    if (isMade && !isActive) violations.push(`A run of a paused series was made: ${format([entry])}`)
    if (isForPause && isActive)
      violations.push(`A run was skipped, but its series was not paused: ${format([entry])}`)
  }
  return violations
}

const timeOf = (at: string | null) => Date.parse(at ?? '')

const nameOf = ({ seriesId, localTime }: LogEntry) => `${seriesId} ${localTime}`

/** The log of each local time of each series. */
const occurrencesIn = (log: LogEntry[]) => [...Map.groupBy(runsIn(log), nameOf).values()]

/** The newest entry of each run. */
const latestOf = (entries: LogEntry[]) => [
  ...new Map(entries.map((entry) => [nameOf(entry), entry])).values(),
]

const format = (entries: LogEntry[]) =>
  entries
    .map(
      ({ id, at, actor, seriesId, localTime, dueAt, jobId, was, became, reason }) =>
        `#${id} ${at} ${actor}: run ${localTime} of series ${seriesId}, due at ${dueAt}: ${was} → ${became} (${reason}, job ${jobId})`,
    )
    .join('; ')
