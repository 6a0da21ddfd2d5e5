import { type Evidence, formatChanges } from './evidence.ts'
import type { LogEntry } from './instruments.ts'

/** Check when each instance sends, against its pauses, caps, limits, quiet hours, troubles and restrictions. */
export const paceInvariants: ((evidence: Evidence) => string[])[] = [
  pausesAreLongEnough,
  capsHold,
  quartersHold,
  quietHoursAreQuiet,
  waitingInstancesSendNothing,
  tenFailuresStopAnInstance,
  restrictedInstancesSendToNoPerson,
]

const kindOf = (chatId: string | null) => (chatId?.endsWith('@g.us') ? 'group' : 'private')
const isIntent = (entry: LogEntry) => entry.kind === 'delivery' && entry.became === 'sending'
const entriesOf = (log: LogEntry[], instanceId: number) =>
  log.filter((entry) => entry.instanceId === instanceId)

function pausesAreLongEnough({ log, instances }: Evidence) {
  return instances
    .filter(({ plan }) => plan.pauseMs.group > 0 || plan.pauseMs.private > 0)
    .flatMap(({ id, plan }) => {
      const intents = entriesOf(log, id).filter(isIntent)
      return intents.slice(1).flatMap((intent, index) => {
        const previous = intents[index]
        if (!previous) return []
        // A shift of the clock makes the pause look shorter or longer than it was.
        const pauseMs = Math.max(
          Date.parse(intent.at) - Date.parse(previous.at),
          intent.trueMs - previous.trueMs,
        )
        return pauseMs < plan.pauseMs[kindOf(previous.chatId)]
          ? [`A pause of ${pauseMs} ms: ${formatChanges([previous, intent])}`]
          : []
      })
    })
}

const DAY_MS = 24 * 3600_000

/** No 24 hours contain more messages than the cap. A message counts from its intent, if it was sent. */
function capsHold({ log, instances }: Evidence) {
  return instances
    .filter(({ plan }) => plan.cap > 0)
    .flatMap(({ id, plan }) => {
      const entries = entriesOf(log, id)
      return (['group', 'private'] as const).flatMap((kind) => {
        const sent = sentOf(entries, kind)
        return hasMoreWithin(sent, plan.cap, DAY_MS)
          ? [`More than ${plan.cap} in a day: ${formatChanges(sent)}`]
          : []
      })
    })
}

/** A plan sets the clock back by 2 s at most, and the engine has forgotten the times that were 15 minutes old then. */
const QUARTER_MS = 15 * 60_000 - 2_000

/** No 15 minutes contain more messages to people than the instance's limit. */
export function quartersHold({ log, instances }: Pick<Evidence, 'log' | 'instances'>) {
  return instances.flatMap(({ id, plan: { perQuarter } }) => {
    if (!perQuarter) return []
    const sent = sentOf(entriesOf(log, id), 'private')
    return hasMoreWithin(sent, perQuarter, QUARTER_MS)
      ? [`More than ${perQuarter} in 15 minutes: ${formatChanges(sent)}`]
      : []
  })
}

/** The intents of these entries whose messages were sent. */
const sentOf = (entries: LogEntry[], kind: 'group' | 'private') =>
  entries.filter(
    (entry, index) =>
      isIntent(entry) && kindOf(entry.chatId) === kind && wasSent(entry, entries.slice(index + 1)),
  )

function hasMoreWithin(intents: LogEntry[], limit: number, ms: number): boolean {
  const times = intents.map(({ at }) => Date.parse(at))
  return times.some((time) => times.filter((at) => at >= time && at < time + ms).length > limit)
}

/** Whether this attempt, and not a later one, ended as sent. */
function wasSent(intent: LogEntry, laterEntries: LogEntry[]): boolean {
  for (const entry of laterEntries) {
    if (entry.kind !== 'delivery' || entry.deliveryId !== intent.deliveryId) continue
    if (entry.became === 'sent') return true
    if (entry.became !== 'doubt') return false
  }
  return false
}

/** Computes the quiet hours without our SQL, from the local time of the zone. */
function quietHoursAreQuiet({ log, instances }: Evidence) {
  return instances.flatMap(({ id, quietFrom, quietTo, timeZone }) => {
    if (quietFrom === null || quietTo === null) return []
    const localTime = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' })
    const isQuiet = (at: string) => {
      const time = localTime.format(Date.parse(at))
      return quietFrom < quietTo ? time >= quietFrom && time < quietTo : time >= quietFrom || time < quietTo
    }
    const intents = entriesOf(log, id).filter((entry) => isIntent(entry) && isQuiet(entry.at))
    return intents.length > 0
      ? [`Begun between ${quietFrom} and ${quietTo} in ${timeZone}: ${formatChanges(intents)}`]
      : []
  })
}

/** An instance in trouble, or stopped after ten failures, sends nothing until it recovers or a user resumes it. */
function waitingInstancesSendNothing({ log }: Evidence) {
  const waiting = new Map<number, string | null>()
  return log.flatMap((entry) => {
    if (entry.kind === 'waiting') waiting.set(entry.instanceId, entry.became)
    const reason = waiting.get(entry.instanceId)
    return isIntent(entry) && reason
      ? [`Begun while the instance waits for ${reason}: ${formatChanges([entry])}`]
      : []
  })
}

const FAILURES_IN_A_ROW = 10

function tenFailuresStopAnInstance({ log }: Evidence) {
  const failuresOf = new Map<number, number>()
  return log.flatMap((entry) => {
    const { kind, was, became, instanceId } = entry
    if (became === 'sent' || isResumedByUser(entry)) failuresOf.set(instanceId, 0)
    if (kind !== 'delivery' || was !== 'sending' || became !== 'failed') return []
    const failures = (failuresOf.get(instanceId) ?? 0) + 1
    failuresOf.set(instanceId, failures)
    return failures > FAILURES_IN_A_ROW
      ? [`The ${failures}th failure in a row: ${formatChanges([entry])}`]
      : []
  })
}

/** ChaosRun acts for the users: its connections have this application name. */
const isResumedByUser = ({ actor, kind, became }: LogEntry) =>
  actor === 'chaos run' && (kind === 'waiting' || kind === 'restricted') && became === null

/** Nothing goes to people until the known restriction ends. */
function restrictedInstancesSendToNoPerson({ log }: Evidence) {
  const until = new Map<number, string | null>()
  return log.flatMap((entry) => {
    if (entry.kind === 'restricted') until.set(entry.instanceId, entry.became)
    const end = until.get(entry.instanceId)
    const isTooEarly = end && Date.parse(entry.at) < Date.parse(end) && kindOf(entry.chatId) === 'private'
    return isIntent(entry) && isTooEarly ? [`Begun before ${end}: ${formatChanges([entry])}`] : []
  })
}
