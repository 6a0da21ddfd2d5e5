import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { retryFailed } from '../../src/engine/index.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { until } from '../until.ts'
import { ChaosRun } from './chaos-run.ts'
import { Environment } from './environment.ts'
import type { Mutant } from './mutants.ts'
import type { Plan } from './plan.ts'

/*
 * The database loses rows here for certain: they are set back under the eyes of the workers. The judge is the ledger
 * alone, because the invariants know nothing of a past that was undone.
 */

let environment: Environment
beforeAll(async () => {
  environment = await Environment.open()
}, 60_000)
afterAll(() => environment[Symbol.asyncDispose]())

const sendTo = (...recipients: number[]) =>
  ({ instance: 0, kind: 'people', recipients, withImage: false, dueInSeconds: 0 }) as const

const plan: Plan = {
  seed: 0,
  workers: 2,
  hasUniqueTexts: true,
  providerAheadMs: 0,
  latencyMs: 0,
  accountWaitMs: 24 * 3600_000,
  instances: [{ pauseMs: { group: 0, private: 0 }, cap: 0 }],
  jobs: [],
  actions: [],
}

/** Sends to three people and forgets it: the deliveries have this status again, and more of the database changes. */
async function sendAndLose(run: ChaosRun, status: 'queued' | 'skipped', more: string, isPersonal = false) {
  await run.createJob(0, { ...sendTo(1, 2, 3), isPersonal })
  await untilEnded(run, 0)
  await run.db.script(`
    ${more};
    update deliveries set status = '${status}', attempt = 0, intent = null, intent_at = null,
      provider_message_id = null, sent_at = null, ask_at = null;
    delete from matched_messages;
    update jobs set cursor = 0, status = ${status === 'queued' ? `'Running', completed_at = null` : `'Cancelled'`}`)
}

const idOf = (run: ChaosRun, job: number) => run.jobs.get(job)?.id ?? 0

const untilEnded = (run: ChaosRun, job: number) =>
  until(`job ${job} has ended`, async () => {
    const { status } = await run.db.one<{ status: string }>(sql`
      select status from jobs where id = ${idOf(run, job)}`)
    return status === 'Completed'
  })

const LOSE_INTENTS = `update instances set last_intent_at = null`
const NEW_ERA = `update heartbeat set era = gen_random_uuid()`

const scenarios: Record<string, (run: ChaosRun) => Promise<unknown>> = {
  async 'ended jobs not matched'(run) {
    await sendAndLose(run, 'skipped', `${LOSE_INTENTS}; ${NEW_ERA}`)
    await run.createJob(1, sendTo(4))
    await untilEnded(run, 1)
    const answer = await run.db.begin((tx) => retryFailed(tx, idOf(run, 0), 'Ann', { includeUnknown: false }))
    if (answer === 'done') await untilEnded(run, 0)
  },
  async 'no watch at the start'(run) {
    await run.createJob(0, sendTo(1, 2, 3))
    await untilEnded(run, 0)
    await run.killWorker(0)
    await run.killWorker(1)
    // In fast time the heartbeat would be still before a process has started.
    await sendAndLose(
      run,
      'queued',
      `${LOSE_INTENTS}; update heartbeat set beat_at = beat_at + interval '10 minutes'`,
    )
    await untilEnded(run, 0)
  },
  async 'messages of no recipient dropped'(run) {
    const renamed = [4, 5, 6].map((n) => run.instance(0).addressBook.people[n])
    await sendAndLose(
      run,
      'queued',
      `${LOSE_INTENTS}; ${NEW_ERA};
       update deliveries d set chat_id = (array['${renamed.join("','")}'])[1 + d.id - (select min(id) from deliveries)]`,
    )
    await until('the job is paused or has ended', async () =>
      run.db.run(sql`select from jobs where paused_at is not null or status = 'Completed'`),
    )
  },
  async 'history of the text with variables'(run) {
    await sendAndLose(run, 'queued', `${LOSE_INTENTS}; ${NEW_ERA}`, true)
    await untilEnded(run, 0)
  },
  async 'every pause exempts from the check'(run) {
    await sendAndLose(
      run,
      'queued',
      `update instances set last_intent_at = null, checked_era = null, next_due_at = clock_now() + interval '1 day';
       -- The check must not come before the beat that begins the era.
       update heartbeat set history_complete_at = clock_now() + interval '1 day'`,
    )
    // Only a promotion spares pauses. A beat that waited for the loss to be committed would not see the pause yet.
    const { era } = await run.db.one<{ era: string }>(sql`
      update heartbeat set timeline = 'FFFFFFFF' returning era`)
    await until('the promotion has begun an era', () =>
      run.db.run(sql`select from heartbeat where era <> ${era} and timeline <> 'FFFFFFFF'`),
    )
    // However slow the machine is, the beat came within the pause.
    await run.db.run(sql`update instances set next_due_at = clock_now()`)
    await untilEnded(run, 0)
  },
}

describe.each(Object.entries(scenarios))('%s', { timeout: 240_000 }, (name, play) => {
  async function countSends(mutant?: Mutant) {
    await using run = await ChaosRun.open(environment, plan, mutant)
    await play(run)
    const sends = (await run.ledger()).map(({ body }) => body).filter((body) => body?.endsWith('job 0 run 1'))
    return sends.length
  }

  test('the shipped engine sends nothing again', async () => {
    expect(await countSends()).toBe(3)
  })

  test('the mutant sends again', async () => {
    expect(await countSends(name as Mutant)).toBeGreaterThan(3) // the scenarios are named after mutants
  })
})
