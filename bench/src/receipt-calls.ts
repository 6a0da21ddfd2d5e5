import autocannon from 'autocannon'
import { keyOf, secretOf } from '../../server/src/features/instances/webhook.ts'
import type { Pool } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import type { Secrets } from '../../server/src/platform/secrets.ts'

/** A message to a group that was sent just now, and whose members have not received it yet. */
export type SentMessage = { id: number; instanceId: number; tokenCipher: Buffer }

/** Gives each instance a group of `members` and sent messages to it, `count` in all. */
export async function addSentMessages(db: Pool, count: number, members: number): Promise<SentMessage[]> {
  await db.run(
    sql`insert into groups (instance_id, chat_id, name) select id, id || '@g.us', name from instances`,
  )
  await db.run(sql`
    insert into participants (group_id, person_id, rank)
    select g.id, 'member ' || n, 'member' from groups g, generate_series(0, ${members - 1}) n`)
  await db.run(sql`
    insert into jobs (job_type, text_content, instance_id, status, recipient_count, created_by_user_name)
    select 'SendToGroups', 'Hello', i.id, 'Completed', 1, 'bench'
    from instances i, generate_series(1, ${count} / (select count(*) from instances))`)
  await db.run(sql`
    insert into deliveries (job_id, instance_id, group_id, chat_id, recipient_name, status, intent, intent_at, sent_at,
      provider_message_id)
    select j.id, j.instance_id, g.id, g.chat_id, g.name, 'sent', gen_random_uuid(), now(), now(), 'message-' || j.id
    from jobs j join groups g using (instance_id)`)
  await db.run(sql`
    insert into matched_messages (instance_id, provider_message_id, delivery_id)
    select instance_id, provider_message_id, id from deliveries`)
  await db.run(sql`vacuum analyze`)
  return db.many<SentMessage>(sql`
    select j.id, i.id as instance_id, i.token_cipher from jobs j join instances i on i.id = j.instance_id order by j.id`)
}

type Calls = {
  url: string
  secrets: Secrets
  messages: readonly SentMessage[]
  members: number
  connections: number
}

/**
 * Returns a function that makes webhook calls with receipts of these messages: each member first received, then read
 * it. A hundred messages get theirs in turns, then the next hundred.
 */
export function receiptCaller({ url, secrets, messages, members, connections }: Calls) {
  let used = 0

  function nextCall(receipts: number) {
    const call = used++
    const callsOfHundred = (100 * 2 * members) / receipts
    const hundred = Math.floor(call / callsOfHundred) * 100
    const message = messages[(hundred + (call % 100)) % messages.length]
    const round = Math.floor((call % callsOfHundred) / 100) * receipts
    if (!message) throw new Error('No messages')
    const statuses = Array.from({ length: receipts }, (_, n) => ({
      id: `message-${message.id}`,
      status: round + n < members ? 'delivered' : 'read',
      timestamp: String(Math.floor(Date.now() / 1000)),
      viewer_id: `member ${(round + n) % members}`,
    }))
    return { message, body: JSON.stringify({ statuses, event: { type: 'statuses', event: 'post' } }) }
  }

  /** `path` replaces the one of the webhook. Without `callsPerSecond` the next call begins when one is answered. */
  return (options: {
    receipts: number
    seconds: number
    path?: string
    at?: string
    callsPerSecond?: number
  }) =>
    autocannon({
      ...{ url: options.at ?? url, connections, duration: options.seconds },
      ...(options.callsPerSecond && { overallRate: options.callsPerSecond }),
      requests: [
        {
          method: 'POST',
          setupRequest(request: object) {
            const { message, body } = nextCall(options.receipts)
            const headers = {
              'content-type': 'application/json',
              'x-sendroom-secret': secretOf(secrets, {
                id: message.instanceId,
                tokenCipher: message.tokenCipher,
              }),
            }
            const path = options.path ?? `/api/webhooks/whapi/${keyOf(secrets, message.instanceId)}`
            return { ...request, path, headers, body }
          },
        },
      ],
    })
}
