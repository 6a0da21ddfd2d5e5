import type { WireStatus } from '@sendroom/simulator'
import type { Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import type { Environment } from './environment.ts'
import type { ChaosInstance } from './instances.ts'
import type { Plan } from './plan.ts'
import type { ServerProcess } from './server-process.ts'
import type { WebhookCall } from './webhook-proxy.ts'

export type DeliveryRow = {
  id: number
  jobId: number
  instanceId: number
  groupId: number | null
  chatId: string
  /** The recipient's own text; null if everybody gets the job's. */
  text: string | null
  status: string
  providerMessageId: string | null
  sentAt: string | null
  reason: { code: string } | null
  isInDoubt: boolean
  /** Whether the outcome was unknown, and a later check of the history found the message. */
  wasUnknown: boolean
  deliveredAt: string | null
  readAt: string | null
  deliveredMembers: number
  readMembers: number
}

/** The statuses that the provider reported for a message: those that the server confirmed, and all. */
export type ReportedStatuses = { confirmed: WireStatus[]; all: WireStatus[] }

export type ReceiptEvidence = {
  deliveries: DeliveryRow[]
  /** Null if the run has no receipts, or the message has none. */
  reportedOf: (row: DeliveryRow) => ReportedStatuses | null
}

/** The part of a chaos run that is read here. */
export type ReceiptSource = {
  db: Pool
  environment: Environment
  server: ServerProcess | null
  instances: ChaosInstance[]
  plan: Pick<Plan, 'receipts'>
}

export async function collectReceipts({
  db,
  environment,
  server,
  instances,
  plan,
}: ReceiptSource): Promise<ReceiptEvidence> {
  const calls = [...(server?.webhookProxy.calls ?? [])]
  const deliveries = await db.many<DeliveryRow>(sql`
    select d.*, t.text, doubt_since is not null or next_look_at is not null as is_in_doubt,
      exists (
        select from chaos.log l where l.delivery_id = d.id and l.became = 'failed' and l.reason = 'outcome_unknown'
      ) as was_unknown
    from deliveries d left join delivery_texts t on t.delivery_id = d.id order by d.id`)
  if (server) return { deliveries, reportedOf: statusesFrom(calls) }
  if (plan.receipts !== 'polling') return { deliveries, reportedOf: () => null }
  const reported = new Map<number, ReportedStatuses>()
  for (const { id, instanceId, chatId, providerMessageId } of deliveries) {
    const token = instances.find((instance) => instance.id === instanceId)?.token ?? ''
    if (!providerMessageId) continue
    const statuses = await environment.simulator.statusesOf(token, chatId, providerMessageId)
    reported.set(id, { confirmed: statuses, all: statuses })
  }
  return { deliveries, reportedOf: ({ id }) => reported.get(id) ?? null }
}

function statusesFrom(calls: WebhookCall[]) {
  const statuses = calls.flatMap(({ statuses, ...call }) => statuses.map((status) => ({ ...call, status })))
  const byMessage = Map.groupBy(statuses, ({ instanceId, status }) => `${instanceId} ${status.id}`)
  return ({ instanceId, providerMessageId }: DeliveryRow) => {
    const all = byMessage.get(`${instanceId} ${providerMessageId}`) ?? []
    return {
      confirmed: all.filter(({ isAccepted }) => isAccepted).map(({ status }) => status),
      all: all.map(({ status }) => status),
    }
  }
}
