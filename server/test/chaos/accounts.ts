import { groupId, specialGroups } from '../../../simulator/src/index.ts'
import type { Pool } from '../../src/platform/database/connection.ts'
import { sql, values } from '../../src/platform/database/sql.ts'
import { secretsOf } from '../../src/platform/secrets.ts'
import { factories } from '../factories.ts'
import type { AccountPlan, JobPlan, Plan } from './plan.ts'
import { SECRET_KEY } from './secret-key.ts'

export type Account = {
  id: number
  token: string
  imageId: number
  chats: Record<JobPlan['kind'], string[]>
  plan: AccountPlan
}

/** An account with its address book, in which the first of each kind will be refused, and an image for its jobs. */
export async function addAccount(
  db: Pool,
  name: string,
  plan: AccountPlan,
  receipts: Plan['receipts'],
): Promise<Account> {
  const token = `test_linked_${name}`
  const { id } = await factories(db, secretsOf(SECRET_KEY)).instance({
    token,
    // Test-mode accounts are told by a way of their own.
    isTest: !receipts,
    groupPauseFromMs: plan.pauseMs.group,
    groupPauseToMs: plan.pauseMs.group * 2,
    privatePauseFromMs: plan.pauseMs.private,
    privatePauseToMs: plan.pauseMs.private * 2,
    groupCap: plan.cap,
    privateCap: plan.cap,
    ...(plan.quiet && (await quietColumns(db, plan.quiet))),
  })
  const groups = [specialGroups(token).announcementsOnly, ...many((n) => groupId(token, 20 + n))]
  const people = ['84912340000', ...many((n) => `849123456${n + 10}`)].map(
    (number) => `${number}@s.whatsapp.net`,
  )
  await db.run(
    sql`insert into groups ${values(groups.map((chatId) => ({ instanceId: id, chatId, name: chatId })))}`,
  )
  const image = { name, mimeType: 'image/png', size: 8 }
  const { id: imageId } = await db.one<{ id: number }>(sql`insert into images ${values(image)} returning id`)
  return { id, token, imageId, chats: { groups, people }, plan }
}

async function quietColumns(
  db: Pool,
  { inSeconds, forSeconds, timeZone }: NonNullable<AccountPlan['quiet']>,
) {
  const times = await db.one<{ quietFrom: string; quietTo: string }>(sql`
    select (wall + ${inSeconds} * interval '1 s')::time as quiet_from,
      (wall + ${inSeconds + forSeconds} * interval '1 s')::time as quiet_to
    from (select date_trunc('second', clock_now() at time zone ${timeZone}) as wall) now`)
  return { ...times, timeZone }
}

const many = <T>(make: (n: number) => T): T[] => Array.from({ length: 19 }, (_, n) => make(n + 1))
