import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { openHeartbeat } from '../src/engine/history/heartbeat.ts'
import { connect } from '../src/platform/database/connection.ts'
import { sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'
import type { TestUser } from './factories.ts'
import { oneByteFile } from './one-byte-file.ts'
import { type Send, scriptedProvider } from './scripted-provider.ts'
import { until } from './until.ts'
import { startWorker } from './worker.ts'

const context = useContext()
const { jobs } = contract

const ROUNDS = Number(process.env.APPROVAL_ROUNDS ?? 200)
const AT_ONCE = 8
const log = { info() {}, warn() {}, error() {} }

/** Numbers in [0, 1) that a seed repeats. */
function randomOf(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

type Content = { text: string; numbers: string[] }

/**
 * A job that its author edits, takes back, cancels and restarts while an approver reads and approves it and a worker
 * starts and sends it. Returns what the approver had read each time that the approval was accepted.
 */
async function round(
  seed: number,
  author: TestUser,
  approver: TestUser,
  instanceId: number,
  messageIds: number[],
) {
  const random = randomOf(seed)
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
  const number = () => `+8490${1_000_000 + seed * 100 + Math.floor(random() * 4)}`
  const { body: job } = await context.call(author, jobs.create, {
    body: {
      ...{ jobType: 'SendToUsers', instanceId, messageId: pick(messageIds) },
      phoneNumbers: `${number()},${number()}`,
    },
  })
  const params = { id: job.id }
  const approved: Content[] = []
  // Refused, because somebody else was faster.
  const expectAllowed = ({ status }: { status: number }) => expect([200, 409]).toContain(status)
  const authorSteps = [
    async () => expectAllowed(await context.call(author, jobs.takeBack, { params, body: {} })),
    async () => expectAllowed(await context.call(author, jobs.ask, { params, body: {} })),
    async () =>
      expectAllowed(
        await context.call(author, jobs.change, { params, body: { messageId: pick(messageIds) } }),
      ),
    async () =>
      expectAllowed(
        await context.call(author, jobs.change, {
          params,
          body: { recipients: { phoneNumbers: `${number()},${number()}` } },
        }),
      ),
    async () =>
      expectAllowed(await context.call(author, random() < 0.3 ? jobs.cancel : jobs.pause, { params })),
    async () => void (await context.call(author, random() < 0.3 ? jobs.restart : jobs.resume, { params })),
  ]
  async function approve() {
    const { body: seen } = await context.call(approver, jobs.get, { params })
    const answer = await context.call(approver, jobs.approve, { params, body: { version: seen.version } })
    expectAllowed(answer)
    if (answer.status === 200) approved.push({ text: seen.textContent, numbers: seen.targetPhoneNumbers })
  }
  const askChanges = async () => {
    const { body: seen } = await context.call(approver, jobs.get, { params })
    expectAllowed(
      await context.call(approver, jobs.askChanges, { params, body: { version: seen.version, words: 'No' } }),
    )
  }
  const play = async (steps: number, next: () => () => Promise<void>) => {
    for (let n = 0; n < steps; n++) await next()()
  }
  await Promise.all([
    play(6, () => pick(authorSteps)),
    play(5, () => (random() < 0.8 ? approve : askChanges)),
  ])
  return { approved }
}

// R-1400
test(`${ROUNDS} random interleavings send only what was approved, byte by byte`, {
  timeout: 300_000,
}, async () => {
  await openHeartbeat({ db: context.db, log, beatSeenBefore: 0 }).beat()
  const { provider, calls } = scriptedProvider()
  const db = connect(context.database.address, { applicationName: 'sendroom test worker' })
  const worker = startWorker({
    db,
    ...{ providers: { live: provider, test: provider }, secrets: context.secrets, log, beatSeenBefore: 0 },
    openMedia: oneByteFile,
  })
  const outcomes: Awaited<ReturnType<typeof round>>[] = []
  let next = 1
  try {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const instance = await context.add.instance({ approval: 'always' })
        const author = await context.add.user({ instances: [instance] })
        const approver = await context.add.user({ instances: [instance], canApproveJobs: true })
        const messages = await Promise.all(
          ['One', 'Two ', 'Two', 'Thrée'].map((textContent) =>
            context.add.message({ instanceId: instance.id, textContent }),
          ),
        )
        const ids = messages.map(({ id }) => id)
        while (next <= ROUNDS) outcomes.push(await round(next++, author, approver, instance.id, ids))
      }),
    )
    // Approved jobs are sent to their end.
    await until('nothing is left to send', async () => {
      const { open } = await context.db.one<{ open: number }>(sql`
        select count(*) as open from jobs j where paused_at is null
          and (status = 'Running' or settling or status = 'Pending' and review = 'approved')`)
      return open === 0
    })
  } finally {
    await worker.stop()
    await db.end(1000)
  }
  const isApproved = (send: Send) => {
    const to = send.to.split('@')[0] ?? ''
    return outcomes.some(({ approved }) =>
      approved.some(({ text, numbers }) => text === send.text && numbers.includes(to)),
    )
  }
  expect(calls.sends.filter((send) => !isApproved(send))).toEqual([])
  // The last approval of a job that was sent is of what the job is.
  const others = await context.db.many<{ id: number }>(sql`
    select j.id from jobs j
    where exists (select from deliveries d where d.job_id = j.id and d.status = 'sent') and not coalesce((
      select r.what = 'approved' and r.hash = job_content_hash(j.id) from job_reviews r
      where r.job_id = j.id and r.what in ('approved', 'voided') order by r.id desc limit 1), false)`)
  expect(others).toEqual([])
  // The rounds reach what they are about.
  expect(calls.sends.length).toBeGreaterThan(ROUNDS / 4)
  const history = await context.db.many<{ what: string }>(sql`select distinct what from job_reviews`)
  expect(history.map(({ what }) => what).sort()).toEqual(
    ['approved', 'asked', 'changes_asked', 'taken_back', 'voided'].sort(),
  )
})
