import type { WireStatus } from '../../../simulator/src/acks.ts'
import type { Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import type { Account } from './accounts.ts'
import type { Office } from './office.ts'
import type { Plan } from './plan.ts'
import type { Letter } from './post-office.ts'
import type { Stage } from './stage.ts'

export type DeliveryRow = {
  id: number
  jobId: number
  instanceId: number
  groupId: number | null
  chatId: string
  status: string
  providerMessageId: string | null
  sentAt: string | null
  reason: { code: string } | null
  isHeldInDoubt: boolean
  deliveredAt: string | null
  readAt: string | null
  deliveredMembers: number
  readMembers: number
}

/** What was told of a message: what has surely come, and with it what may have come. */
export type Told = { surely: WireStatus[]; atMost: WireStatus[] }

export type Heard = {
  deliveries: DeliveryRow[]
  /** Null where nobody hears of receipts. */
  told: (row: DeliveryRow) => Told | null
}

/** What a round is, here. */
type Listener = {
  db: Pool
  stage: Stage
  office: Office | null
  accounts: Account[]
  plan: Pick<Plan, 'receipts'>
}

/** The rows, and what was told of their messages. */
export async function gatherReceipts({ db, stage, office, accounts, plan }: Listener): Promise<Heard> {
  const letters = [...(office?.post.letters ?? [])]
  const deliveries = await db.many<DeliveryRow>(sql`
    select *, doubt_since is not null or next_look_at is not null as is_held_in_doubt from deliveries order by id`)
  if (office) return { deliveries, told: toldBy(letters) }
  if (plan.receipts !== 'polling') return { deliveries, told: () => null }
  const known = new Map<number, Told>()
  for (const { id, instanceId, chatId, providerMessageId } of deliveries) {
    const token = accounts.find((account) => account.id === instanceId)?.token ?? ''
    if (!providerMessageId) continue
    const statuses = await stage.simulator.statusesOf(token, chatId, providerMessageId)
    known.set(id, { surely: statuses, atMost: statuses })
  }
  return { deliveries, told: ({ id }) => known.get(id) ?? null }
}

function toldBy(letters: Letter[]) {
  const statuses = letters.flatMap(({ statuses, ...letter }) =>
    statuses.map((status) => ({ ...letter, status })),
  )
  const byMessage = Map.groupBy(statuses, ({ instanceId, status }) => `${instanceId} ${status.id}`)
  return ({ instanceId, providerMessageId }: DeliveryRow) => {
    const all = byMessage.get(`${instanceId} ${providerMessageId}`) ?? []
    return {
      surely: all.filter(({ isTaken }) => isTaken).map(({ status }) => status),
      atMost: all.map(({ status }) => status),
    }
  }
}
