import { recipientCounts } from '../../src/engine/index.ts'
import type { Evidence, JobRow, LogRow } from './evidence.ts'
import type { StoryLine } from './instruments.ts'
import { paceRules } from './oracle-pace.ts'
import { receiptsAgree } from './oracle-receipts.ts'
import type { DeliveryRow } from './receipts.ts'
import { groups, told } from './words.ts'

/** What must hold after each round. Each rule returns one sentence for everything that breaks it. */
export async function judge(evidence: Evidence): Promise<string[]> {
  const rules = [
    rowsAreFinal,
    sentStandsInLedger,
    idsAreCreditedOnce,
    ledgerIsAccountedFor,
    nobodyGotTwo,
    jobsEndedAsTheirRows,
    logsAgree,
    nobodyGaveUpEarly,
    nothingIsHeld,
    oneSenderForEachAccount,
    noSendAfterCancel,
    ...paceRules,
    receiptsAgree,
    receiptsOnlyGoForward,
    sentCountsAgree,
  ]
  return [...rules.flatMap((rule) => rule(evidence)), ...(await countsAgree(evidence))]
}

const rowsAreFinal = ({ deliveries, jobs }: Evidence) =>
  deliveries.flatMap((row) => {
    const isCancelled = jobs.find(({ id }) => id === row.jobId)?.status === 'Cancelled'
    const final =
      (row.status === 'sent' && row.providerMessageId !== null && row.sentAt !== null) ||
      (row.status === 'failed' && row.reason !== null && hasIdIfItMay(row)) ||
      (row.status === 'skipped' && isCancelled && row.providerMessageId === null)
    return final && !row.isHeldInDoubt ? [] : [`${named(row)} is in no final state: ${JSON.stringify(row)}`]
  })

/** Accepted, and then it could not be delivered. */
const hasIdIfItMay = ({ reason, providerMessageId }: DeliveryRow) =>
  (providerMessageId !== null) === (reason?.code === 'receipt_failed')

const sentStandsInLedger = ({ deliveries, jobs, ledger, accounts }: Evidence) =>
  deliveries
    .filter(({ status }) => status === 'sent')
    .flatMap((row) => {
      const job = jobs.find(({ id }) => id === row.jobId)
      const entries = ledger.filter(({ id }) => id === row.providerMessageId)
      const [entry] = entries
      const isIt =
        entries.length === 1 &&
        entry?.to === row.chatId &&
        entry.token === accounts.find(({ id }) => id === row.instanceId)?.token &&
        (entry.body ?? entry.caption) === job?.textContent &&
        entry.type === (job?.imageId ? 'image' : 'text')
      return isIt
        ? []
        : [`${named(row)} is Sent as ${row.providerMessageId}, the ledger has ${JSON.stringify(entries)}`]
    })

/** Not where the id was there already, and only a receipt changed what became of the message. */
function credits(story: StoryLine[]) {
  const idOf = new Map<number | null, string | null>()
  return story.filter((line) => {
    const { what, deliveryId, became, providerMessageId } = line
    if (what !== 'delivery') return false
    const isNew = providerMessageId !== idOf.get(deliveryId)
    idOf.set(deliveryId, providerMessageId)
    return became === 'sent' && providerMessageId !== null && isNew
  })
}

function idsAreCreditedOnce({ story }: Evidence) {
  return groups(credits(story), ({ instanceId, providerMessageId }) => `${instanceId} ${providerMessageId}`)
    .filter((lines) => lines.length > 1)
    .map((lines) => `One message was credited ${lines.length} times: ${told(lines)}`)
}

/** What went out is Sent, or was in a run of old, or somebody was told that its outcome is not known. */
function ledgerIsAccountedFor({ story, ledger, accounts }: Evidence) {
  const credited = new Set(credits(story).map(({ providerMessageId }) => providerMessageId))
  const unknown = (chatId: string, token: string) =>
    story.filter(
      (line) =>
        line.what === 'delivery' &&
        line.became === 'failed' &&
        line.reason === 'outcome_unknown' &&
        line.chatId === chatId &&
        accounts.find(({ id }) => id === line.instanceId)?.token === token,
    ).length
  return groups(
    ledger.filter(({ id }) => !credited.has(id)),
    ({ token, to }) => `${token} ${to}`,
  )
    .filter(([entry, ...others]) => entry && others.length + 1 > unknown(entry.to, entry.token))
    .map((entries) => `Nobody is credited with what went out: ${JSON.stringify(entries)}`)
}

/** Where texts carry job and run, a double shows whatever our own books say. One that failed later may come again. */
function nobodyGotTwo({ isMarked, ledger, story }: Evidence) {
  if (!isMarked) return []
  const failed = new Set(
    story.filter(({ reason }) => reason === 'receipt_failed').map((line) => line.providerMessageId),
  )
  return groups(
    ledger.filter(({ id }) => !failed.has(id)),
    (entry) => `${entry.token} ${entry.to} ${entry.body ?? entry.caption}`,
  )
    .filter((entries) => entries.length > 1)
    .map((entries) => `Sent ${entries.length} times: ${JSON.stringify(entries)}`)
}

function jobsEndedAsTheirRows({ jobs, deliveries, story }: Evidence) {
  return jobs.flatMap((job) => {
    const rows = rowsOf(job, deliveries)
    const { least, most } = countsAtEnd(job, story)
    const expected = [...(most > 0 ? ['Completed'] : []), ...(least <= 0 ? ['Failed'] : []), 'Cancelled']
    const wrong =
      !expected.includes(job.status) ||
      job.completedAt === null ||
      job.settling ||
      rows.length !== job.recipientCount
    return wrong
      ? [`Job ${job.id} is ${job.status}, not ${expected.join(' or ')}: ${JSON.stringify({ job, rows })}`]
      : []
  })
}

/**
 * How many were Sent, and Sent or Failed, when the job last came to its own end: it may have been reopened and cancelled
 * since. A result or a receipt may come later, and change it; one that came in the same moment may have been seen or not.
 */
function countsAtEnd(job: JobRow, story: StoryLine[]): { least: number; most: number; settled: number } {
  const isEnd = ({ was, became }: StoryLine) =>
    ['Completed', 'Failed'].includes(statusIn(became) ?? '') && statusIn(became) !== statusIn(was)
  const endedAt = movesOf(job, story).findLast(isEnd)?.id ?? 0
  const mine = story.filter((line) => isOfRun(line, job))
  const atEnd = new Map(mine.filter(({ id }) => id < endedAt).map((line) => [line.deliveryId, line.became]))
  const isOf = (...statuses: string[]) => [...atEnd.values()].filter((s) => statuses.includes(s ?? '')).length
  const turns = ['sent → failed', 'failed → sent']
  const turned = mine.filter(({ was, became }) => turns.includes(`${was} → ${became}`)).length
  const sent = isOf('sent')
  return { least: sent - turned, most: sent + turned, settled: isOf('sent', 'failed') }
}

const movesOf = (job: JobRow, story: StoryLine[]) =>
  story.filter((line) => line.what === 'job' && line.jobId === job.id && line.run === job.run)

/** Without whether it is paused. */
const statusIn = (state: string | null) => state?.split(' ')[0]

const isOfRun = (line: StoryLine, job: JobRow) =>
  line.what === 'delivery' && line.jobId === job.id && line.run === job.run

export function logsAgree({ jobs, logs, story }: Pick<Evidence, 'jobs' | 'logs' | 'story'>) {
  return jobs.flatMap((job) => {
    const mine = logs.filter(({ jobId }) => jobId === job.id)
    const count = (code: string) => mine.filter((line) => line.code === code).length
    const wrong: string[] = []
    const expect = (code: string, times: number) =>
      count(code) === times || wrong.push(`${code} ${count(code)} times, not ${times}`)
    const moves = movesOf(job, story)
    const moved = (status: string) =>
      moves.filter(({ was, became }) => statusIn(became) === status && statusIn(was) !== status).length
    expect('job_created', job.run === 1 ? 1 : 0)
    expect('job_restarted', job.run === 1 ? 0 : 1)
    expect('job_started', moved('Running'))
    expect('job_completed', moved('Completed'))
    expect('job_failed', moved('Failed'))
    expect('job_cancelled', moved('Cancelled'))
    const ended = mine.findLast(({ code }) => code === 'job_completed' || code === 'job_failed')
    const { least, most, settled } = countsAtEnd(job, story)
    const told = { sent: Number(ended?.params.sent), failed: Number(ended?.params.failed) }
    if (ended && (told.sent < least || told.sent > most || told.sent + told.failed !== settled))
      wrong.push(`${JSON.stringify(ended)} with ${least} to ${most} sent of ${settled}`)
    return wrong.map((what) => `The log of job ${job.id} (${job.status}) is wrong: ${what}`)
  })
}

/**
 * A job is given up for its account's trouble only when that is old enough, counted from when the job began to wait, or
 * from when somebody let it go on: so long as nothing started it, it was asked for already.
 */
export const nobodyGaveUpEarly = ({ logs, accountWaitMs }: Pick<Evidence, 'logs' | 'accountWaitMs'>) =>
  logs.flatMap((end, place) => {
    if (end.code !== 'account_wait_over') return []
    const before = logs.slice(0, place).filter(({ jobId }) => jobId === end.jobId)
    const isOf = (line: LogRow | undefined, ...codes: string[]) =>
      line !== undefined && codes.includes(line.code)
    let from = before.findLastIndex((line) => isOf(line, 'account_waits', 'job_started', 'job_resumed'))
    while (isOf(before[from - 1], 'job_started', 'job_retried')) from--
    const waitedMs = Date.parse(end.at) - Date.parse(before[from]?.at ?? end.at)
    return waitedMs >= accountWaitMs ? [] : [`Job ${end.jobId} was given up after ${waitedMs} ms of trouble`]
  })

const nothingIsHeld = ({ accounts }: Evidence) =>
  accounts
    .filter(({ inFlight, isLeased }) => inFlight !== null || isLeased)
    .map(({ id, inFlight }) => `Account ${id} is still held, with ${inFlight}`)

function oneSenderForEachAccount({ story }: Evidence) {
  const holder = new Map<number, string | null>()
  const wrong: string[] = []
  for (const line of story) {
    if (line.what === 'claim') holder.set(line.instanceId, line.became === null ? null : line.who)
    if (line.what !== 'delivery' || line.became !== 'sending') continue
    const owner = holder.get(line.instanceId) ?? 'nobody'
    if (owner !== line.who)
      wrong.push(`An intent by ${line.who} while ${owner} held the account: ${told([line])}`)
  }
  return wrong
}

/** After a cancel, and while paused, nothing of the job begins. */
function noSendAfterCancel({ story }: Evidence) {
  const state = new Map<number | null, string | null>()
  const wrong: string[] = []
  for (const line of story) {
    if (line.what === 'job') state.set(line.jobId, line.became)
    if (
      line.what === 'delivery' &&
      line.became === 'sending' &&
      (state.get(line.jobId) ?? 'Running') !== 'Running'
    )
      wrong.push(`A send began although the job was ${state.get(line.jobId)}: ${told([line])}`)
  }
  return wrong
}

const sentCountsAgree = ({ sentCounts, deliveries, accounts }: Evidence) =>
  accounts.flatMap(({ id }) => {
    const sent = deliveries.filter(({ instanceId, status }) => instanceId === id && status === 'sent')
    const places = new Set([
      null,
      ...sent.map(({ groupId }) => groupId),
      ...sentCounts.map(({ groupId }) => groupId),
    ])
    return [...places].flatMap((place) => {
      const rows = sent.filter(({ groupId }) => groupId === place).length
      const counted =
        sentCounts.find(({ instanceId, groupId }) => instanceId === id && groupId === place)?.sent ?? 0
      return rows === counted
        ? []
        : [`sent_counts says ${counted} for account ${id} and group ${place}, not ${rows}`]
    })
  })

async function countsAgree({ jobs, deliveries, db }: Evidence) {
  const wrong: string[] = []
  for (const job of jobs) {
    const rows = rowsOf(job, deliveries)
    const isOf = (status: string) => rows.filter((row) => row.status === status).length
    const expected = {
      total: rows.length,
      waiting: 0,
      sent: isOf('sent'),
      failed: isOf('failed'),
      skipped: isOf('skipped'),
      unknown: rows.filter(({ status, reason }) => status === 'failed' && reason?.code === 'outcome_unknown')
        .length,
    }
    const counts = await recipientCounts(db, job.id)
    if (
      JSON.stringify({ ...expected, ...pickFrom(counts, Object.keys(expected)) }) !== JSON.stringify(expected)
    )
      wrong.push(`Job ${job.id} counts ${JSON.stringify(counts)}, its rows ${JSON.stringify(expected)}`)
  }
  return wrong
}

const pickFrom = (from: object, names: string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))

const rowsOf = (job: JobRow, deliveries: DeliveryRow[]) => deliveries.filter(({ jobId }) => jobId === job.id)
const named = (row: DeliveryRow) => `Delivery ${row.id} (job ${row.jobId}, ${row.chatId})`

/** The story tells of those only that do not. */
const receiptsOnlyGoForward = ({ story }: Evidence) =>
  story
    .filter(({ what }) => what === 'receipt')
    .map(({ deliveryId, was, became }) => `A receipt of delivery ${deliveryId} went back: ${was} → ${became}`)
