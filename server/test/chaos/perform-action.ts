import { setTimeout as delay } from 'node:timers/promises'
import * as engine from '../../src/engine/index.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { retryWhileDown } from '../kill-postgres.ts'
import { until } from '../until.ts'
import type { ChaosRun } from './chaos-run.ts'
import { shiftIdleClock, whileIdle } from './instruments.ts'
import { say } from './opt-outs.ts'
import type { Action, JobAction, Plan, WorkerChoice } from './plan.ts'
import { SENDS } from './plan-faults.ts'
import { changeSeriesOf } from './series.ts'

/** Performs one action of the plan, and logs the action and its result. */
export async function performAction(run: ChaosRun, plan: Plan, action: Action): Promise<void> {
  run.log(JSON.stringify(action))
  const result = await perform(run, plan, action)
  if (result !== undefined) run.log(`  ${result}`)
}

async function perform(run: ChaosRun, plan: Plan, action: Action): Promise<unknown> {
  const { environment, db } = run
  const { simulator } = environment
  switch (action.kind) {
    case 'kill worker':
      return run.killWorker(await slotOf(run, action.worker))
    case 'stop worker':
      return run.schedule(action.seconds, run.workerPool.stop(await slotOf(run, action.worker)))
    case 'kill database':
      return environment.killDatabase()
    case 'kill provider':
      return environment.killSimulator()
    case 'cut connections':
      await retryWhileDown(() =>
        db.many(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'worker%'`),
      )
      return
    case 'kill server':
      return run.server?.kill()
    case 'receipts':
      return simulator.setReceipts(run.instance(action.instance).token, action.rules)
    case 'fault':
      await simulator.addFault({
        ...action.rule,
        ...(action.instance !== undefined && { token: run.instance(action.instance).token }),
      })
      return
    case 'trouble':
      return makeTrouble(run, run.instance(action.instance).token, action)
    case 'unknown outcome':
      return loseOutcome(run, run.instance(action.instance).token)
    case 'shift clock':
      await run.shiftClock(action.seconds)
      return
    case 'shift provider clock':
      return shiftProviderClock(run, action.seconds)
    case 'shift idle clock':
      return retryWhileDown(() => shiftIdleClock(db, action.seconds))
    case 'shift idle provider clock':
      return retryWhileDown(() => whileIdle(db, () => shiftProviderClock(run, action.seconds)))
    case 'resume instance':
      return run.request(() => engine.resumeSending(db, run.instance(action.instance).id, 'Ann'))
    case 'lock instance':
      return run.schedule(0, () => run.request(() => lockInstance(run, action)))
    case 'write on phone': {
      const { token, addressBook } = run.instance(action.instance)
      await simulator.writeOnPhone(token, addressBook.people[action.recipient] ?? '', 'Hello')
      return
    }
    case 'say stop':
    case 'say start':
      await say(run, action.kind === 'say stop' ? 'stop' : 'start', action.instance, action.recipient)
      return
    case 'create job': {
      const job = plan.jobs[action.job]
      return job && run.createJob(action.job, job)
    }
    case 'edit series':
    case 'pause series':
    case 'resume series':
    case 'skip next run':
    case 'move next run':
      return changeSeriesOf(run, action)
    case 'jump past next run': {
      const result = await changeSeriesOf(run, action)
      if (action.loss) await performAction(run, plan, action.loss)
      return result
    }
    case 'change job of run': {
      const id = await newestJobOf(run, action.series)
      return id === null ? 'not made yet' : changeJob(run, action.change, id)
    }
    default: {
      const job = run.jobs.get(action.job)
      return job ? changeJob(run, action.kind, job.id) : 'not created yet'
    }
  }
}

const shiftProviderClock = ({ environment: { simulator } }: ChaosRun, seconds: number) =>
  simulator.setClockAhead(simulator.aheadMs + seconds * 1000)

async function makeTrouble(
  run: ChaosRun,
  token: string,
  { trouble, seconds }: Extract<Action, { kind: 'trouble' }>,
): Promise<void> {
  const { environment } = run
  const { simulator } = environment
  const { change, cure } =
    'change' in trouble
      ? trouble
      : {
          change: { restrictedUntil: Math.floor(environment.now() / 1000) + trouble.restrictedForSeconds },
          cure: { restrictedUntil: 0 },
        }
  await simulator.changeChannel(token, change)
  run.schedule(seconds, () => simulator.changeChannel(token, cure))
}

const lockInstance = (run: ChaosRun, { instance, seconds }: LockAction) =>
  run.db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${run.instance(instance).id} for no key update`)
    await delay(run.environment.toRealMs(seconds * 1000))
  })

type LockAction = Extract<Action, { kind: 'lock instance' }>

/** Loses the answers of two sends and makes all look-ups fail, until a delivery ends with an unknown outcome. */
async function loseOutcome(run: ChaosRun, token: string): Promise<string> {
  const { simulator } = run.environment
  await simulator.addFault({ token, path: SENDS, kind: 'accept-then-drop', times: 1 })
  await simulator.addFault({ token, path: SENDS, kind: 'drop-before', times: 1 })
  await simulator.addFault({ token, path: '^/messages/list', kind: 'status', status: 503 })
  const isUnknown = await until(
    'an outcome is unknown',
    async () => {
      const count = await retryWhileDown(() =>
        run.db.run(sql`select from chaos.log where reason = 'outcome_unknown' limit 1`),
      )
      return count > 0
    },
    75_000,
  ).catch(() => false)
  return isUnknown ? 'an outcome is unknown' : 'no outcome is unknown'
}

const choices = {
  /** The send is most likely still under way. */
  sender: sql`became = 'sending'`,
  maker: sql`kind = 'run' and actor like 'worker %'`,
}

async function slotOf({ db }: ChaosRun, worker: WorkerChoice): Promise<number> {
  if (typeof worker === 'number') return worker
  const newest = await retryWhileDown(() =>
    db.maybeOne<{ actor: string }>(sql`
      select actor from chaos.log where ${choices[worker]} order by id desc limit 1`),
  )
  return Number(newest?.actor.match(/worker (\d)/)?.[1] ?? 0)
}

async function newestJobOf({ db, series }: ChaosRun, index: number): Promise<number | null> {
  const { id } = await retryWhileDown(() =>
    db.one<{ id: number | null }>(sql`
      select max(job_id) as id from series_runs where series_id = ${series.get(index)?.id ?? 0}`),
  )
  return id
}

async function changeJob(run: ChaosRun, kind: JobAction['kind'], id: number): Promise<unknown> {
  const { db, server } = run
  if (server) {
    const change = async () => run.log(`  ${kind} ${id}: ${await server.api.change(kind, id)}`)
    // A deletion waits for messages in flight, and the plan must go on meanwhile.
    return kind === 'delete job' ? run.schedule(0, change) : change()
  }
  switch (kind) {
    case 'cancel job':
      return run.request(() => db.begin((tx) => engine.cancelJob(tx, id, 'Ann')))
    case 'restart job':
      return run.request(() => db.begin((tx) => engine.restartJob(tx, id, 'Ann')))
    // A retry of unknown outcomes may send a message twice. With unique texts that would be a violation.
    case 'retry job':
      return run.request(() =>
        db.begin((tx) => engine.retryFailed(tx, id, 'Ann', { includeUnknown: !run.plan.hasUniqueTexts })),
      )
    case 'delete job':
      run.schedule(0, async () => {
        const result = await run.request(() => engine.deleteJobs(db, [id], 'Ann', async () => {}, 2_000))
        run.log(`  job ${id} deleted: ${result}`)
      })
      return
    case 'pause job':
      return run.request(() => db.begin((tx) => engine.pauseJob(tx, id, 'Ann')))
    case 'resume job':
      return run.request(() => db.begin((tx) => engine.resumeJob(tx, id, 'Ann')))
  }
}
