import type { LedgerEntry } from '@sendroom/simulator'
import { ledgerText } from './contents.ts'
import { type Evidence, formatChanges, type JobRow } from './evidence.ts'
import type { LogEntry } from './instruments.ts'
import { jobInvariants, recipientCountsAgree } from './invariants-jobs.ts'
import { optOutInvariants } from './invariants-opt-outs.ts'
import { paceInvariants } from './invariants-pace.ts'
import { receiptsAgree, receiptsNeverGoBack } from './invariants-receipts.ts'
import { seriesInvariants } from './invariants-series.ts'
import type { DeliveryRow } from './receipts.ts'

/** The part of the evidence that needs no log of all changes. */
export type RowEvidence = Pick<Evidence, 'deliveries' | 'jobs' | 'ledger' | 'countDifferences'> & {
  instances: Pick<Evidence['instances'][number], 'id' | 'token' | 'inFlight' | 'isLeased'>[]
}

/** Checks what must hold after each chaos run. Returns one sentence for each violation. */
export async function findViolations(evidence: Evidence): Promise<string[]> {
  const invariants = [
    ...rowInvariants,
    idsAreMatchedOnce,
    ledgerIsAccountedFor,
    nobodyGotTwoMessages,
    everybodyGotTheirOwnText,
    daysAgree,
    onlyTheClaimHolderSends,
    ...jobInvariants,
    ...optOutInvariants,
    ...paceInvariants,
    ...seriesInvariants,
    receiptsAgree,
    receiptsNeverGoBack,
  ]
  return [
    ...invariants.flatMap((invariant) => invariant(evidence)),
    ...(await recipientCountsAgree(evidence)),
  ]
}

const deliveriesAreFinal = ({ deliveries, jobs }: RowEvidence) =>
  deliveries.flatMap((row) => {
    const isCancelled = jobs.find(({ id }) => id === row.jobId)?.status === 'Cancelled'
    const isFinal =
      (row.status === 'sent' && row.providerMessageId !== null && row.sentAt !== null) ||
      (row.status === 'failed' && row.reason !== null && hasIdOnlyAfterReceipt(row)) ||
      (row.status === 'skipped' &&
        (isCancelled || row.reason?.code === 'opted_out') &&
        row.providerMessageId === null)
    return isFinal && !row.isInDoubt ? [] : [`${nameOf(row)} is in no final state: ${JSON.stringify(row)}`]
  })

/** A failed delivery has a message id only if the provider accepted the message and reported the failure later. */
const hasIdOnlyAfterReceipt = ({ reason, providerMessageId }: DeliveryRow) =>
  (providerMessageId !== null) === (reason?.code === 'receipt_failed')

const sentIsInLedger = ({ deliveries, jobs, ledger, instances }: RowEvidence) =>
  deliveries
    .filter(({ status }) => status === 'sent')
    .flatMap((row) => {
      const job = jobs.find(({ id }) => id === row.jobId)
      const entries = ledger.filter(({ id }) => id === row.providerMessageId)
      const [entry] = entries
      const isSame =
        entries.length === 1 &&
        entry?.to === row.chatId &&
        entry.token === instances.find(({ id }) => id === row.instanceId)?.token &&
        ledgerText(entry) === textOf(row, job) &&
        entry.type === (job?.content?.kind ?? (job?.imageId ? 'image' : 'text'))
      return isSame
        ? []
        : [`${nameOf(row)} is Sent as ${row.providerMessageId}, the ledger has ${JSON.stringify(entries)}`]
    })

/** The text by which the ledger shows the message. */
const textOf = (row: DeliveryRow, job: JobRow | undefined) =>
  job?.content?.kind === 'voice' ? `${job.seconds} s` : (row.text ?? job?.textContent)

/** The changes that matched a delivery with a message id. A receipt may change the status later and keep the id. */
function matches(log: LogEntry[]) {
  const idOf = new Map<number | null, string | null>()
  return log.filter(({ kind, deliveryId, became, providerMessageId }) => {
    if (kind !== 'delivery') return false
    const isNew = providerMessageId !== idOf.get(deliveryId)
    idOf.set(deliveryId, providerMessageId)
    return became === 'sent' && providerMessageId !== null && isNew
  })
}

function idsAreMatchedOnce({ log }: Evidence) {
  return groupBy(matches(log), ({ instanceId, providerMessageId }) => `${instanceId} ${providerMessageId}`)
    .filter((entries) => entries.length > 1)
    .map((entries) => `One message was matched ${entries.length} times: ${formatChanges(entries)}`)
}

/** Each message in the ledger is matched with a delivery, now or in an earlier job run, or its outcome is unknown. */
function ledgerIsAccountedFor({ log, ledger, instances }: Evidence) {
  const matched = new Set(matches(log).map(({ providerMessageId }) => providerMessageId))
  const countUnknown = (chatId: string, token: string) =>
    log.filter(
      (entry) =>
        entry.kind === 'delivery' &&
        entry.became === 'failed' &&
        entry.reason === 'outcome_unknown' &&
        entry.chatId === chatId &&
        instances.find(({ id }) => id === entry.instanceId)?.token === token,
    ).length
  return groupBy(
    ledger.filter(({ id }) => !matched.has(id)),
    ({ token, to }) => `${token} ${to}`,
  )
    .filter(([entry, ...others]) => entry && others.length + 1 > countUnknown(entry.to, entry.token))
    .map((entries) => `Sent, but matched with no delivery: ${JSON.stringify(entries)}`)
}

/**
 * Unique texts show a duplicate in the ledger, whatever the database says. A message that failed after it was accepted
 * may be sent again, and a voice message, which has no text, once for each run of its job.
 */
export function nobodyGotTwoMessages({
  hasUniqueTexts,
  ledger,
  log,
  jobs = [],
}: Pick<Evidence, 'hasUniqueTexts' | 'ledger' | 'log'> & { jobs?: JobRow[] }) {
  if (!hasUniqueTexts) return []
  const failed = new Set(
    log.filter(({ reason }) => reason === 'receipt_failed').map((entry) => entry.providerMessageId),
  )
  return groupBy(
    ledger.filter(({ id }) => !failed.has(id)),
    (entry) => `${entry.token} ${entry.to} ${ledgerText(entry)}`,
  )
    .filter((entries) => entries.length > timesAllowed(entries[0], jobs))
    .map((entries) => `Sent ${entries.length} times: ${JSON.stringify(entries)}`)
}

function timesAllowed(entry: LedgerEntry | undefined, jobs: readonly JobRow[]): number {
  if (entry?.type !== 'voice') return 1
  return jobs.find(({ seconds }) => seconds === entry.seconds)?.run ?? Number.POSITIVE_INFINITY
}

/** The name in a text is the chat's id. */
const everybodyGotTheirOwnText = ({ ledger }: Evidence) =>
  ledger.flatMap((entry) => {
    const [, name] = /^(.*), (?:Hello$|job )/.exec(ledgerText(entry)) ?? []
    return name === undefined || name === entry.to ? [] : [`Sent to ${entry.to}: ${JSON.stringify(entry)}`]
  })

/** The numbers of days are history, so they agree with the changes and not with the rows. */
export function daysAgree({
  days,
  log,
  deliveries,
  instances,
}: Pick<Evidence, 'days' | 'log' | 'deliveries' | 'instances'>) {
  // A restart and a deletion take their rows away, and nothing else tells what was delivered.
  const isLost = log.some(
    ({ kind, became, run }) => kind === 'job' && (became === 'deleted' || Number(run) > 1),
  )
  return instances.flatMap(({ id }) => {
    const entries = log.filter(({ kind, instanceId }) => kind === 'delivery' && instanceId === id)
    const rows = deliveries.filter(({ instanceId }) => instanceId === id)
    const changesTo = (status: string, from: (was: string | null) => boolean) =>
      entries.filter(({ was, became }) => became === status && was !== status && from(was)).length
    const anything = () => true
    const expected = {
      sent: changesTo('sent', anything) - changesTo('failed', (was) => was === 'sent'),
      failed: changesTo('failed', anything) - changesTo('sent', (was) => was === 'failed'),
      ...(!isLost && {
        delivered: rows.filter(({ deliveredAt }) => deliveredAt !== null).length,
        read: rows.filter(({ readAt }) => readAt !== null).length,
      }),
    }
    const counted = days.find(({ instanceId }) => instanceId === id)
    const isWrong = Object.entries(expected).some(
      ([name, n]) => n !== (counted?.[name as keyof typeof expected] ?? 0),
    )
    return isWrong
      ? [`The days of instance ${id} have ${JSON.stringify(counted)}, not ${JSON.stringify(expected)}`]
      : []
  })
}

const nothingIsClaimed = ({ instances }: RowEvidence) =>
  instances
    .filter(({ inFlight, isLeased }) => inFlight !== null || isLeased)
    .map(({ id, inFlight }) => `Instance ${id} is still claimed, with delivery ${inFlight}`)

function onlyTheClaimHolderSends({ log }: Evidence) {
  const holders = new Map<number, string | null>()
  const violations: string[] = []
  for (const entry of log) {
    if (entry.kind === 'claim') holders.set(entry.instanceId, entry.became === null ? null : entry.actor)
    if (entry.kind !== 'delivery' || entry.became !== 'sending') continue
    const holder = holders.get(entry.instanceId) ?? 'nobody'
    if (holder !== entry.actor)
      violations.push(
        `An intent by ${entry.actor} while ${holder} held the instance: ${formatChanges([entry])}`,
      )
  }
  return violations
}

const countsAgree = ({ countDifferences }: RowEvidence) =>
  countDifferences.map(({ owner, counter, n }) => `The number '${counter}' of ${owner} lacks ${n}`)

const failedCountsAgree = ({ jobs, deliveries }: RowEvidence) =>
  jobs.flatMap(({ id, failedCount }) => {
    const rows = deliveries.filter(({ jobId, status }) => jobId === id && status === 'failed').length
    return rows === failedCount ? [] : [`Job ${id} has failed_count ${failedCount}, not ${rows}`]
  })

/** Check the rows as they are at the end. */
export const rowInvariants: ((evidence: RowEvidence) => string[])[] = [
  deliveriesAreFinal,
  sentIsInLedger,
  nothingIsClaimed,
  countsAgree,
  failedCountsAgree,
]

const nameOf = (row: DeliveryRow) => `Delivery ${row.id} (job ${row.jobId}, ${row.chatId})`

function groupBy<T>(items: T[], key: (item: T) => string): T[][] {
  return [...Map.groupBy(items, key).values()]
}
