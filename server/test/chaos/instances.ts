import { groupId, specialGroups } from '@sendroom/simulator'
import type { Pool } from '../../src/platform/database/connection.ts'
import { sql, values } from '../../src/platform/database/sql.ts'
import { secretsOf } from '../../src/platform/secrets.ts'
import { factories } from '../factories.ts'
import { SECRET_KEY } from './environment.ts'
import type { InstancePlan, JobPlan, Plan } from './plan.ts'

export type ChaosInstance = {
  id: number
  token: string
  imageId: number
  addressBook: Record<JobPlan['kind'], string[]>
  plan: InstancePlan
}

/** Adds an instance with an image for its jobs. WhatsApp refuses the first group and the first person it knows. */
export async function addInstance(
  db: Pool,
  name: string,
  plan: InstancePlan,
  receipts: Plan['receipts'],
): Promise<ChaosInstance> {
  const token = `test_linked_odd_${name}`
  const { pauseMs, pauseSpread = 2 } = plan
  const { id } = await factories(db, secretsOf(SECRET_KEY)).instance({
    token,
    // The webhooks of test-mode instances go to the server directly, past our proxy, and the workers never poll them.
    isTest: !receipts,
    groupPauseFromMs: pauseMs.group,
    groupPauseToMs: pauseMs.group * pauseSpread,
    privatePauseFromMs: pauseMs.private,
    privatePauseToMs: pauseMs.private * pauseSpread,
    groupCap: plan.cap,
    privateCap: plan.cap,
    privatePerQuarter: plan.perQuarter ?? 0,
    ...(plan.quiet && (await quietColumns(db, plan.quiet))),
    ...(receipts && (await unreadColumns(db))),
  })
  const groups = [specialGroups(token).announcementsOnly, ...nineteen((n) => groupId(token, 20 + n))]
  const numbers = ['84912340000', ...nineteen((n) => `849123456${n + 10}`)]
  const people = numbers.map((number) => `${number}@s.whatsapp.net`)
  await db.run(
    sql`insert into groups ${values(groups.map((chatId) => ({ instanceId: id, chatId, name: chatId })))}`,
  )
  const image = { name, mimeType: 'image/png', size: 8 }
  const { id: imageId } = await db.one<{ id: number }>(sql`insert into images ${values(image)} returning id`)
  return { id, token, imageId, addressBook: { groups, people }, plan }
}

/** As for a new account, the workers learn from the provider what people write. */
const unreadColumns = async (db: Pool) => ({
  ...(await db.one<{ incomingReadUntil: string }>(sql`select clock_now() as incoming_read_until`)),
  incomingUntil: 'epoch',
})

async function quietColumns(
  db: Pool,
  { inSeconds, forSeconds, timeZone }: NonNullable<InstancePlan['quiet']>,
) {
  const times = await db.one<{ quietFrom: string; quietTo: string }>(sql`
    select (wall + ${inSeconds} * interval '1 s')::time as quiet_from,
      (wall + ${inSeconds + forSeconds} * interval '1 s')::time as quiet_to
    from (select date_trunc('second', clock_now() at time zone ${timeZone}) as wall) now`)
  return { ...times, timeZone }
}

const nineteen = <T>(make: (n: number) => T): T[] => Array.from({ length: 19 }, (_, n) => make(n + 1))
