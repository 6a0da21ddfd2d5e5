import type { LedgerEntry } from '@sendroom/simulator'
import { type Difference, findCountDifferences } from '../../src/platform/counts.ts'
import type { Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { ledgerText } from './contents.ts'
import type { ChaosInstance } from './instances.ts'
import { type LogEntry, readLog } from './instruments.ts'
import type { SaidStop } from './opt-outs.ts'
import type { Plan } from './plan.ts'
import { collectReceipts, type DeliveryRow, type ReceiptEvidence, type ReceiptSource } from './receipts.ts'

export type JobRow = {
  id: number
  instanceId: number
  status: string
  run: number
  textContent: string
  imageId: number | null
  content: { kind: string } | null
  /** The length of its voice message. */
  seconds: number | null
  settling: boolean
  recipientCount: number
  failedCount: number
  completedAt: string | null
}

/** A line of the log that users see. */
export type JobLogRow = { jobId: number; at: string; code: string; params: Record<string, number | string> }

type InstanceRow = {
  id: number
  inFlight: number | null
  isLeased: boolean
  /** 'HH:MM:SS' */
  quietFrom: string | null
  quietTo: string | null
  timeZone: string
}

/** The messages of an instance by outcome, on all days. */
export type DayTotals = { instanceId: number; sent: number; delivered: number; read: number; failed: number }

/** A run of a series. */
export type RunRow = {
  id: number
  seriesId: number
  localTime: string
  dueAt: string
  state: string
  isDue: boolean
  reason: string | null
  outcome: string | null
}

/** An opt-out that somebody has written: whether the server has confirmed the call, and whether it was read later. */
export type Stop = SaidStop & { isStored: boolean; isConfirmed: boolean; isRead: boolean }

/** A plan may set the clock back by 3 s. */
export const CLOCK_STEP_MS = 4_000

/** The state of the database and of the provider's ledger after a chaos run. */
export type Evidence = ReceiptEvidence & {
  hasUniqueTexts: boolean
  accountWaitMs: number
  instances: (ChaosInstance & InstanceRow)[]
  jobs: JobRow[]
  deliveries: DeliveryRow[]
  jobLogs: JobLogRow[]
  /** Where the numbers that pages show differ from the rows. */
  countDifferences: Difference[]
  days: DayTotals[]
  log: LogEntry[]
  stops: Stop[]
  runs: RunRow[]
  /** Receipts that have not been applied, one line each, for the analysis of a violation. */
  receiptsLeft: string[]
  /** Only what Sendroom sent, not what was written on the phone. */
  ledger: LedgerEntry[]
  db: Pool
}

/** The part of a chaos run that is read here. */
type EvidenceSource = ReceiptSource & {
  plan: Pick<Plan, 'hasUniqueTexts' | 'accountWaitMs'>
  ledger: () => Promise<LedgerEntry[]>
  saidStops: SaidStop[]
}

export async function collect(run: EvidenceSource): Promise<Evidence> {
  const { db } = run
  const rows = await db.many<InstanceRow>(sql`
    select id, in_flight, coalesce(lease_until > clock_now(), false) as is_leased, quiet_from, quiet_to, time_zone
    from instances`)
  return {
    hasUniqueTexts: run.plan.hasUniqueTexts,
    accountWaitMs: run.plan.accountWaitMs,
    instances: run.instances.map((instance) => {
      const row = rows.find(({ id }) => id === instance.id)
      if (!row) throw new Error(`The instance ${instance.id} is gone`)
      return { ...instance, ...row }
    }),
    jobs: await db.many<JobRow>(sql`
      select j.*, (select f.seconds from files f where f.id = j.file_id) as seconds from jobs j order by j.id`),
    ...(await collectReceipts(run)),
    jobLogs: await db.many<JobLogRow>(sql`
      select job_id, created_at as at, reason->>'code' as code, reason->'params' as params from job_logs order by id`),
    countDifferences: await findCountDifferences(db),
    days: await db.many<DayTotals>(sql`
      select instance_id, sum(sent) as sent, sum(delivered) as delivered, sum(read) as read, sum(failed) as failed
      from (
        select instance_id, sent, delivered, read, failed from instance_days
        union all select instance_id, sent, delivered, read, failed from delivery_changes
      ) as part group by instance_id`),
    log: await readLog(db),
    stops: await collectStops(run),
    runs: await db.many<RunRow>(sql`
      select id, series_id, local_time, due_at, state, due_at <= clock_now() as is_due, reason->>'code' as reason,
        outcome
      from series_runs order by id`),
    receiptsLeft: await listReceiptsLeft(db),
    ledger: (await run.ledger()).filter(({ source }) => source === 'api'),
    db,
  }
}

async function listReceiptsLeft(db: Pool): Promise<string[]> {
  const rows = await db.many<{ line: string }>(sql`
    select 'batch ' || to_jsonb(b)::text as line from receipt_batches b
    union all select 'receipt ' || to_jsonb(e)::text from receipt_events e
    union all select 'set aside ' || to_jsonb(s)::text from receipts_set_aside s`)
  return rows.map(({ line }) => line)
}

/** Webhook calls may be lost with the provider that makes them, but not those that the server has confirmed. */
async function collectStops({ db, server, saidStops }: EvidenceSource): Promise<Stop[]> {
  // Whoever says so again moves the time of the opt-out that holds, by the provider's clock, which tells nothing here.
  const stored = await db.many<{ chatId: string; messageId: string; isRepeated: boolean }>(sql`
    select phone || '@s.whatsapp.net' as chat_id, provider_message_id as message_id,
      last_said_at is not null as is_repeated
    from opt_outs`)
  const read = await db.many<{ id: number; until: string | null }>(sql`
    select id, incoming_read_until as until from instances`)
  const confirmed = server?.webhookProxy.calls.filter(({ isAccepted }) => isAccepted) ?? []
  return saidStops.map((said) => {
    const readUntil = read.find(({ id }) => id === said.instanceId)?.until ?? null
    return {
      ...said,
      isStored: stored.some(
        (row) => row.messageId === said.messageId || (row.chatId === said.chatId && row.isRepeated),
      ),
      isConfirmed: confirmed.some(({ messageIds }) => messageIds.includes(said.messageId)),
      isRead: readUntil !== null && Date.parse(readUntil) > Date.parse(said.saidAt) + CLOCK_STEP_MS,
    }
  })
}

/** The whole log, the ledger and the receipts that are left, one line for each entry. */
export function formatEvidence({ log, ledger, receiptsLeft }: Evidence): string[] {
  const lines = log.map((entry) => {
    const { at, actor, kind, was, became, providerMessageId, reason } = entry
    return `${at} ${actor}: ${kind} ${subjectOf(entry)}: ${was} → ${became} ${providerMessageId ?? ''} ${reason ?? ''}`
  })
  const sent = ledger.map(
    (entry) =>
      `${new Date(entry.at).toISOString()} ledger: ${entry.token} ${entry.to} ${entry.type} '${ledgerText(entry)}' ${entry.id}`,
  )
  return [...lines, ...sent, ...receiptsLeft]
}

function subjectOf({ kind, instanceId, jobId, run, deliveryId, chatId, ...entry }: LogEntry): string {
  if (kind === 'delivery') return `${deliveryId} of job ${jobId}.${run} to ${chatId}`
  if (kind === 'job') return `${jobId}.${run}`
  if (entry.seriesId === null) return `instance ${instanceId}`
  return `${entry.localTime ?? ''} of series ${entry.seriesId}, due at ${entry.dueAt}, job ${jobId}`
}

/** Changes of deliveries in one line, for the message of a violation. */
export const formatChanges = (entries: LogEntry[]) =>
  entries
    .map(
      ({ id, at, actor, deliveryId, was, became }) =>
        `#${id} ${at} ${actor}: delivery ${deliveryId} ${was} → ${became}`,
    )
    .join('; ')
