import { contract } from '@sendroom/contract'
import { groupId } from '@sendroom/simulator'
import { expect, test } from 'vitest'
import { storeResults } from '../src/engine/polls/store.ts'
import { setWebhook } from '../src/features/instances/webhook.ts'
import { sql } from '../src/platform/database/sql.ts'
import { useSharedContext } from './context.ts'
import { addPollJob, OPTIONS } from './poll-job.ts'
import { useSimulator } from './simulated.ts'
import { until } from './until.ts'

// Votes from WhatsApp to the page of the job, through the simulator and the real adapter.

const simulated = useSimulator()
let base: string | null = null
const context = useSharedContext({ providers: simulated.providers, webhookBase: () => base })
const { jobs } = contract
let last = 0

/** A poll in a group that the simulator has sent, as the message of a job. */
async function simulatedPoll() {
  const token = `test_linked_polls_${++last}`
  const { instance, member, job } = await addPollJob(context, 1, { token })
  const live = simulated.providers().live
  const poll = { kind: 'poll' as const, question: 'Khi nào?', options: OPTIONS, allowsSeveral: true }
  const outcome = await live.send({ token }, groupId(token, 20), { content: poll })
  if (outcome.kind !== 'sent') throw new Error('The poll was not sent.')
  const { providerMessageId } = outcome
  await context.db.run(
    sql`update deliveries set provider_message_id = ${providerMessageId} where job_id = ${job.id}`,
  )
  await context.db.run(sql`
    update matched_messages m set provider_message_id = ${providerMessageId}
    from deliveries d where d.job_id = ${job.id} and m.delivery_id = d.id`)
  const vote = async (from: string, options: string[], shape?: string) => {
    const reply = await fetch(`${simulated.simulator.url}/_control/votes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, id: providerMessageId, from, options, shape }),
    })
    expect(reply.status).toBe(200)
  }
  const votes = async () => {
    const { body } = await context.call(member, jobs.poll, { params: { id: job.id } })
    return body.options.map(({ votes }) => votes)
  }
  return { instance, job, vote, votes, providerMessageId }
}

// R-1630
test.each(['update', 'poll_update'])('votes arrive by the webhook in the shape %s', async (shape) => {
  const { instance, vote, votes } = await simulatedPoll()
  base = `http://127.0.0.1:${await context.listen()}`
  await setWebhook(
    { db: context.db, secrets: context.secrets, providers: simulated.providers(), webhookBase: () => base },
    instance.id,
  )
  // Nothing but the webhook may tell.
  await context.db.run(sql`
    insert into poll_results (instance_id, provider_message_id, asked_at)
    select instance_id, provider_message_id, clock_now() from deliveries where instance_id = ${instance.id}`)

  const untilVotes = (expected: string) =>
    until(`the votes are ${expected}`, async () => (await votes()).join() === expected)
  await vote('84901234567', ['Sáng'], shape)
  await untilVotes('1,0')
  await vote('84901234568', ['Sáng', 'Chiều'], shape)
  await untilVotes('2,1')
  await vote('84901234567', ['Chiều'], shape)
  await untilVotes('1,2')
})

// R-1635
test('without a webhook the provider is asked when somebody looks, and open pages are notified', async () => {
  base = null
  const { instance, job, vote, votes } = await simulatedPoll()
  await context.db.run(sql`update instances set webhook_base = null where id = ${instance.id}`)
  await vote('84901234567', ['Sáng'])
  const notified: string[] = []
  const listening = context.db.listen(
    'sendroom_changes',
    (payload) => notified.push(payload),
    () => {},
  )
  await listening.ready()

  await votes()

  await until('the page is notified', () => notified.some((text) => text.includes(`"id":${job.id},`)))
  expect(await votes()).toEqual([1, 0])
  await listening.close()
})

// R-1635
test('votes that came in the wrong order are corrected by the provider when somebody looks', async () => {
  base = null
  const { instance, vote, votes, providerMessageId } = await simulatedPoll()
  await votes() // asks for the first time
  await until('the provider was asked', async () => {
    const rows = await context.db.many(sql`
      select from poll_results where instance_id = ${instance.id} and updated_at is not null`)
    return rows.length > 0
  })
  await vote('84901234567', ['Chiều'])
  const late = { name: 'Sáng', count: 1, voters: ['84901234567'] }
  await storeResults(context.db, [{ instanceId: instance.id, providerMessageId, options: [late] }])
  expect(await votes()).toEqual([1, 0])

  await context.db.run(sql`
    update poll_results set asked_at = asked_at - interval '61 seconds', updated_at = clock_now() - interval '1 second'
    where instance_id = ${instance.id}`)

  await until('the order is right', async () => (await votes()).join() === '0,1')
})
