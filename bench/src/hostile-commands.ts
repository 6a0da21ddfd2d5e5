import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { sql } from '../../server/src/platform/database/sql.ts'
import type { Attack, Target } from './hostile-observe.ts'

const SECONDS = Number(process.env.HOSTILE_SECONDS ?? 60)
const RECIPIENTS = 100_000
const JOBS = 4
const CALLERS = 45
const SESSIONS = 5
const MEMBERS = 6

/**
 * An attack of `hostile.ts`: 45 callers, namely one Member with five sessions and five other Members, give commands on
 * one job of 100,000 recipients, for a minute. HOSTILE_SECONDS shortens it.
 */
export async function commandAttack({ environment, attacked, take }: Target): Promise<Attack> {
  const { db, sendroom } = environment
  const attackers = take(MEMBERS)
  await db.run(sql`
    insert into sessions (token_hash, user_id, expires_at)
    select sha256(convert_to(username || '_' || n, 'UTF8')), id, now() + interval '1 day'
    from users, generate_series(2, ${SESSIONS}::int) n where username = ${attackers[0]}`)
  const jobs = await db.many<{ id: number }>(sql`
    with added as (
      insert into jobs (job_type, text_content, instance_id, status, recipient_count, created_by_user_name, started_at,
        cursor)
      select 'SendToUsers', 'Hello', ${attacked}, 'Running', ${RECIPIENTS}::int, 'bench', now(), 0
      from generate_series(1, ${JOBS}::int)
      returning id
    ), delivered as (
      insert into deliveries (job_id, instance_id, chat_id, recipient_name, status)
      select id, ${attacked}, n || '@s.whatsapp.net', n, 'queued'
      from added, generate_series(1, ${RECIPIENTS}::int) n
    )
    select id from added`)
  const ofFirst = (nth: number) => `${attackers[0]}${nth === 0 ? '' : `_${nth + 1}`}`
  const tokens = Array.from({ length: CALLERS }, (_, nth) =>
    nth < CALLERS / 2 ? ofFirst(nth % SESSIONS) : (attackers[1 + (nth % (MEMBERS - 1))] ?? ''),
  )
  const workerData = { url: sendroom.url, tokens, jobIds: jobs.map(({ id }) => id), seconds: SECONDS }
  const run = async () => {
    const attacker = new Worker(new URL('./hostile-commands-attacker.ts', import.meta.url), { workerData })
    const [answers] = await once(attacker, 'message')
    return answers
  }
  return { what: `${CALLERS} callers on one job`, seconds: SECONDS, run }
}
