import type { LedgerEntry } from '../../../simulator/src/ledger.ts'
import type { Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import type { Account } from './accounts.ts'
import { readStory, type StoryLine } from './instruments.ts'
import { type DeliveryRow, gatherReceipts, type Told } from './receipts.ts'
import type { Round } from './round.ts'

export type JobRow = {
  id: number
  instanceId: number
  status: string
  run: number
  textContent: string
  imageId: number | null
  settling: boolean
  recipientCount: number
  completedAt: string | null
}

export type LogRow = { jobId: number; at: string; code: string; params: Record<string, number | string> }

type AccountRow = {
  id: number
  inFlight: number | null
  isLeased: boolean
  /** 'HH:MM:SS' */
  quietFrom: string | null
  quietTo: string | null
  timeZone: string
}

/** All that is known after a round: what Sendroom says, and what the provider says. */
export type Evidence = {
  isMarked: boolean
  accountWaitMs: number
  accounts: (Account & AccountRow)[]
  jobs: JobRow[]
  deliveries: DeliveryRow[]
  logs: LogRow[]
  sentCounts: { instanceId: number; groupId: number | null; sent: number }[]
  story: StoryLine[]
  /** Only what was sent through us. */
  ledger: LedgerEntry[]
  /** Null where nobody hears of receipts. */
  told: (row: DeliveryRow) => Told | null
  db: Pool
}

export async function gather(round: Round): Promise<Evidence> {
  const { db } = round
  const rows = await db.many<AccountRow>(sql`
    select id, in_flight, coalesce(lease_until > clock_now(), false) as is_leased, quiet_from, quiet_to, time_zone
    from instances`)
  return {
    isMarked: round.plan.isMarked,
    accountWaitMs: round.plan.accountWaitMs,
    accounts: round.accounts.map((account) => {
      const row = rows.find(({ id }) => id === account.id)
      if (!row) throw new Error(`The account ${account.id} is gone`)
      return { ...account, ...row }
    }),
    jobs: await db.many<JobRow>(sql`select * from jobs order by id`),
    ...(await gatherReceipts(round)),
    logs: await db.many<LogRow>(sql`
      select job_id, created_at as at, reason->>'code' as code, reason->'params' as params from job_logs order by id`),
    sentCounts: await db.many<Evidence['sentCounts'][number]>(sql`
      select instance_id, group_id, sum(sent) as sent from sent_counts group by instance_id, group_id`),
    story: await readStory(db),
    ledger: (await round.ledger()).filter(({ source }) => source === 'api'),
    db,
  }
}

/** For whoever looks into a violation. */
export function tellStory({ story, ledger }: Evidence) {
  const lines = story.map((line) => {
    const { at, who, what, jobId, run, deliveryId, chatId, was, became, providerMessageId, reason } = line
    const about =
      what === 'delivery'
        ? `${deliveryId} of job ${jobId}.${run} to ${chatId}`
        : what === 'job'
          ? `${jobId}.${run}`
          : `account ${line.instanceId}`
    return `${at} ${who}: ${what} ${about}: ${was} → ${became} ${providerMessageId ?? ''} ${reason ?? ''}`
  })
  const entry = ({ at, to, id, body, caption, type, token }: LedgerEntry) =>
    `${new Date(at).toISOString()} ledger: ${token} ${to} ${type} '${body ?? caption}' ${id}`
  return [...lines, ...ledger.map(entry)]
}
