import type { Evidence } from '../chaos/evidence.ts'

/** How long an instance sent nothing after the promotion. */
export type Resumption = {
  /** The engine could not know what the instance had sent. Otherwise the instance was in its pause. */
  isSuspect: boolean
  /** In the engine's time. Undefined if the instance never sent again, although recipients were left. */
  seconds: number | undefined
}

/** The moment of the promotion by the clocks that nobody shifts. */
export type Promotion = {
  /** By the provider's clock. */
  providerMs: number
  /** By `LogEntry.trueMs`. */
  trueMs: number
}

/** How soon sending must go on after the promotion. */
const LIMIT_S = { sure: 30, suspect: 60 }

const intentsOf = ({ log }: Evidence, id: number) =>
  log.filter(
    ({ kind, became, instanceId }) => kind === 'delivery' && became === 'sending' && instanceId === id,
  )

/** Leaves out the instances that had nothing more to send. */
export function findResumptions(evidence: Evidence, promotion: Promotion): Resumption[] {
  const isAfter = ({ trueMs }: { trueMs: number }) => trueMs > promotion.trueMs
  const era = evidence.log.find((entry) => entry.kind === 'era' && isAfter(entry))
  return evidence.instances.flatMap(({ id }) => {
    const next = intentsOf(evidence, id).find(isAfter)
    const isFinished = !evidence.deliveries.some(
      ({ instanceId, status }) => instanceId === id && status === 'queued',
    )
    if (!next && isFinished) return []
    // The statement that begins an era says of the pausing instances that nothing is missing.
    const isSuspect = !evidence.log.some(
      ({ kind, instanceId, trueMs }) => kind === 'checked' && instanceId === id && trueMs === era?.trueMs,
    )
    return [{ isSuspect, seconds: next && (next.trueMs - promotion.trueMs) / 1000 }]
  })
}

/** How many messages the provider accepted before the promotion whose intents are not in the new primary. */
export function countLostIntents(evidence: Evidence, promotion: Promotion): number {
  return evidence.ledger.filter(({ token, to, at, body, caption }) => {
    const instance = evidence.instances.find((candidate) => candidate.token === token)
    const text = body ?? caption
    const job = evidence.jobs.find(({ textContent }) => textContent.replace('{{name}}', to) === text)
    const isKnown = intentsOf(evidence, instance?.id ?? 0).some(
      (intent) => intent.chatId === to && intent.jobId === job?.id && Date.parse(intent.at) <= at,
    )
    return at <= promotion.providerMs && !isKnown
  }).length
}

/** How many runs were made after the promotion although the provider had messages of them before. */
export const countRunsMadeAgain = ({ log, jobs, ledger }: Evidence, promotion: Promotion): number =>
  log.filter(({ kind, became, trueMs, jobId }) => {
    const text = jobs.find(({ id }) => id === jobId)?.textContent
    const isSent = ledger.some(
      ({ at, body, caption }) => at <= promotion.providerMs && (body ?? caption) === text,
    )
    return kind === 'run' && became === 'made' && trueMs > promotion.trueMs && isSent
  }).length

export const findLateResumptions = (resumptions: Resumption[]): string[] =>
  resumptions
    .filter(({ isSuspect, seconds = Infinity }) => seconds > LIMIT_S[isSuspect ? 'suspect' : 'sure'])
    .map(
      ({ isSuspect, seconds }) =>
        `${isSuspect ? 'A suspect' : 'A pausing'} instance sent nothing for ${seconds ?? 'more than 120'} s`,
    )

/** The median and the worst. */
export function formatResumptions(resumptions: Resumption[]): string {
  const sorted = resumptions.map(({ seconds = Infinity }) => seconds).sort((a, b) => a - b)
  if (sorted.length === 0) return 'none'
  const [median = 0, worst = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
  return `${sorted.length} resumed after ${median.toFixed(1)} s (median), ${worst.toFixed(1)} s (worst)`
}
