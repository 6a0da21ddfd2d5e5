import { storeResults } from '../src/engine/polls/store.ts'
import { json, sql } from '../src/platform/database/sql.ts'
import type { TestContext } from './context.ts'

export const OPTIONS = ['Sáng', 'Chiều']

let last = 0
/** A job whose poll was sent to groups, with the ids of its messages. */
export async function addPollJob(context: TestContext, groups = 2, options: { token?: string } = {}) {
  const n = ++last
  const { instance, member } = await context.add.memberWithInstance(options)
  const content = json({ kind: 'poll', options: OPTIONS, allowsSeveral: true })
  const job = await context.add.job({ instanceId: instance.id, recipients: [], content, status: 'Completed' })
  const recipients: { id: number; messageId: string }[] = []
  for (let i = 0; i < groups; i++) {
    const messageId = `poll-${n}-${i}`
    const group = await context.add.group({ instanceId: instance.id, name: `Group ${n} ${i}` })
    const { id } = await context.db.one<{ id: number }>(sql`
      with sent as (
        insert into deliveries (job_id, instance_id, chat_id, recipient_name, status, group_id, sent_at, provider_message_id)
        values (${job.id}, ${instance.id}, ${`${n}${i}@g.us`}, ${group.name}, 'sent', ${group.id}, clock_now(), ${messageId})
        returning *
      ), matched as (
        insert into matched_messages (instance_id, provider_message_id, delivery_id)
        select instance_id, provider_message_id, id from sent
      )
      select id from sent`)
    recipients.push({ id, messageId })
  }
  /** Stores votes in the first poll, or another one. */
  const vote = (voters: Record<string, string[]>, nth = 0) =>
    storeResults(context.db, [
      {
        instanceId: instance.id,
        providerMessageId: recipients[nth]?.messageId ?? '',
        options: Object.entries(voters).map(([name, who]) => ({ name, count: who.length, voters: who })),
      },
    ])
  return { instance, member, job, recipients, vote, first: recipients[0]?.id ?? 0 }
}
