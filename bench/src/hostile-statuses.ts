import { setTimeout as delay } from 'node:timers/promises'
import { keyOf, secretOf } from '../../server/src/features/instances/webhook.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { type Answer, listed, timed } from './hostile-answers.ts'
import type { Attack, Target } from './hostile-observe.ts'

const SECONDS = 15
const PAUSE_MS = 100
/** Words that every JavaScript object knows. */
const ODD = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

type Sent = { instanceId: number; tokenCipher: Buffer; messageId: string }

/**
 * An attack of `hostile.ts`: the webhook of one instance brings receipts with odd statuses. Meanwhile one good receipt
 * for each of the other instances has to be applied.
 */
export async function statusAttack({ environment, sending }: Target): Promise<Attack> {
  const { db, secrets, sendroom } = environment
  const post = ({ instanceId, tokenCipher, messageId }: Sent, words: string[]) => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const statuses = words.map((status) => ({ id: messageId, status, timestamp }))
    return timed(
      fetch(`${sendroom.url}/api/webhooks/whapi/${keyOf(secrets, instanceId)}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-sendroom-secret': secretOf(secrets, { id: instanceId, tokenCipher }),
        },
        body: JSON.stringify({ statuses, event: { type: 'statuses', event: 'post' } }),
      }),
    )
  }
  const [attacking, ...others] = await db.many<Sent>(sql`
    select distinct on (i.id) i.id as instance_id, i.token_cipher, d.provider_message_id as message_id
    from deliveries d join instances i on i.id = d.instance_id
    where d.status = 'sent' and i.id = any(${sending}::bigint[])
    order by i.id, d.id`)
  if (!attacking) throw new Error('No message was sent')
  const delivered = async () => {
    const { count } = await db.one<{ count: number }>(sql`
      select count(*) as count from deliveries
      where delivered_at is not null and provider_message_id = any(${others.map(({ messageId }) => messageId)})`)
    return count
  }

  const run = async () => {
    const end = performance.now() + SECONDS * 1000
    const answers: Answer[] = []
    for (let nth = 0; performance.now() < end; nth++) {
      answers.push(await post(attacking, ODD))
      const good = others[nth]
      if (good) answers.push(await post(good, ['delivered']))
      await delay(PAUSE_MS)
    }
    return `${listed(answers)}; ${await delivered()} of ${others.length} good receipts were applied`
  }
  return { what: 'odd statuses', seconds: SECONDS, run }
}
