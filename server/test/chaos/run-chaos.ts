import { monitorEventLoopDelay } from 'node:perf_hooks'
import { ChaosRun } from './chaos-run.ts'
import type { Environment } from './environment.ts'
import { collect, formatEvidence } from './evidence.ts'
import { findViolations } from './invariants.ts'
import { performAction } from './perform-action.ts'
import { planRun } from './plan.ts'
import { countActions, countDoubts, countResults, type Tally } from './tally.ts'

export type RunResult = {
  violations: string[]
  tallies: Record<'results' | 'actions' | 'faults' | 'doubts', Tally>
  seconds: number
  /** The longest time that this process did not get to run. Above 300 ms the suite's own assumptions may not hold. */
  stallMs: number
  /** Everything that happened, for the analysis of a violation. */
  report: () => string
}

export async function runChaos(environment: Environment, seed: number): Promise<RunResult> {
  const began = performance.now()
  const delays = monitorEventLoopDelay()
  delays.enable()
  const plan = planRun(seed)
  await using run = await ChaosRun.open(environment, plan)
  for (const [index, series] of (plan.series ?? []).entries()) await run.createSeries(index, series)
  const [first] = plan.jobs
  if (first) await run.createJob(0, first)
  for (const { afterSends, action } of plan.actions) {
    await run.progress(afterSends)
    await performAction(run, plan, action)
  }
  await run.waitForQuiescence()
  const evidence = await collect(run)
  return {
    violations: [...run.violations, ...(await findViolations(evidence))],
    tallies: {
      results: countResults(evidence),
      actions: countActions(plan),
      faults: await environment.simulator.takeFaultsMet(),
      doubts: countDoubts(evidence),
    },
    seconds: (performance.now() - began) / 1000,
    stallMs: Math.round(delays.max / 1e6),
    report: () => [JSON.stringify(plan), ...run.logLines, ...formatEvidence(evidence)].join('\n'),
  }
}
