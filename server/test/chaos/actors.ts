import * as engine from '../../src/engine/index.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { until } from '../until.ts'
import { leapClock, whileNothingIsOpen } from './instruments.ts'
import type { Action, JobAction, Plan } from './plan.ts'
import type { Round } from './round.ts'
import { again } from './stage.ts'

/** Does one thing of the plan and writes it into the round's diary. */
export async function act(round: Round, plan: Plan, action: Action): Promise<void> {
  round.note(JSON.stringify(action))
  const answer = await perform(round, plan, action)
  if (answer !== undefined) round.note(`  ${answer}`)
}

async function perform(round: Round, plan: Plan, action: Action): Promise<unknown> {
  const { stage, db } = round
  const { simulator } = stage
  switch (action.kind) {
    case 'kill worker':
      return round.killWorker(await slotOf(round, action.worker))
    case 'stop worker':
      return round.later(action.seconds, round.crew.stop(await slotOf(round, action.worker)))
    case 'kill database':
      return stage.killDatabase()
    case 'kill provider':
      return stage.killSimulator()
    case 'cut connections':
      await again(() =>
        db.many(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'worker%'`),
      )
      return
    case 'kill server':
      return round.office?.kill()
    case 'receipts':
      return simulator.setReceipts(round.account(action.account).token, action.rules)
    case 'fault':
      await simulator.addFault({
        ...action.rule,
        ...(action.account !== undefined && { token: round.account(action.account).token }),
      })
      return
    case 'trouble':
      return makeTrouble(round, round.account(action.account).token, action)
    case 'blindness':
      return makeBlind(round, round.account(action.account).token)
    case 'set clock':
      await round.setClock(action.seconds)
      return
    case 'set provider clock':
      return moveProviderClock(round, action.seconds)
    case 'leap clock':
      return again(() => leapClock(db, action.seconds))
    case 'leap provider clock':
      return again(() => whileNothingIsOpen(db, () => moveProviderClock(round, action.seconds)))
    case 'resume account':
      return round.ask(() => engine.resumeAccount(db, round.account(action.account).id, 'Ann'))
    case 'write on phone': {
      const { token, chats } = round.account(action.account)
      await simulator.writeOnPhone(token, chats.people[action.place] ?? '', 'Hello')
      return
    }
    case 'create job': {
      const job = plan.jobs[action.job]
      return job && round.createJob(action.job, job)
    }
    default:
      return changeJob(round, action)
  }
}

const moveProviderClock = ({ stage: { simulator } }: Round, seconds: number) =>
  simulator.setClockAhead(simulator.aheadMs + seconds * 1000)

async function makeTrouble(
  round: Round,
  token: string,
  { trouble, seconds }: Extract<Action, { kind: 'trouble' }>,
): Promise<void> {
  const { stage } = round
  const { simulator } = stage
  const { change, cure } =
    'change' in trouble
      ? trouble
      : {
          change: { restrictedUntil: Math.floor(stage.now() / 1000) + trouble.restrictedForSeconds },
          cure: { restrictedUntil: 0 },
        }
  await simulator.changeChannel(token, change)
  round.later(seconds, () => simulator.changeChannel(token, cure))
}

async function makeBlind(round: Round, token: string): Promise<string> {
  const { simulator } = round.stage
  await simulator.addFault({ token, path: '^/messages/(text|image)', kind: 'accept-then-drop', times: 1 })
  await simulator.addFault({ token, path: '^/messages/(text|image)', kind: 'drop-before', times: 1 })
  await simulator.addFault({ token, path: '^/messages/list', kind: 'status', status: 503 })
  const givenUp = await until(
    'somebody gives up',
    async () => {
      const count = await again(() =>
        round.db.run(sql`select from chaos.story where reason = 'outcome_unknown' limit 1`),
      )
      return count > 0
    },
    75_000,
  ).catch(() => false)
  return givenUp ? 'nobody knows' : 'it had not come to that'
}

const slotOf = async (round: Round, whom: number | 'sender') =>
  whom === 'sender' ? round.slotOfSender() : whom

async function changeJob(round: Round, { kind, job: place }: JobAction): Promise<unknown> {
  const { db, office } = round
  const job = round.jobs.get(place)
  if (!job) return 'not created yet'
  if (office) {
    const asking = async () => round.note(`  ${kind} ${job.id}: ${await office.ask(kind, job.id)}`)
    // It waits for what is in flight.
    return kind === 'delete job' ? round.later(0, asking) : asking()
  }
  switch (kind) {
    case 'cancel job':
      return round.ask(() => engine.cancelJob(db, job.id, 'Ann'))
    case 'restart job':
      return round.ask(() => engine.restartJob(db, job.id, 'Ann'))
    // Who asks for those of unknown outcome may double them: only where texts don't tell.
    case 'retry job':
      return round.ask(() => engine.retryFailed(db, job.id, 'Ann', { includeUnknown: !round.plan.isMarked }))
    case 'delete job':
      round.later(0, async () =>
        round.note(
          `  job ${job.id} deleted: ${await round.ask(() => engine.deleteJobs(db, [job.id], 'Ann', 2_000))}`,
        ),
      )
      return
    case 'pause job':
      return round.ask(() => engine.pauseJob(db, job.id, 'Ann'))
    case 'resume job':
      return round.ask(() => engine.resumeJob(db, job.id, 'Ann'))
  }
}
