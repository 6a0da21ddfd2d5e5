import { monitorEventLoopDelay } from 'node:perf_hooks'
import { act } from './actors.ts'
import { gather, tellStory } from './evidence.ts'
import { judge } from './oracle.ts'
import { planRound } from './plan.ts'
import { Round } from './round.ts'
import type { Stage } from './stage.ts'
import { countActions, countAll, countDoubts, type Tally } from './tally.ts'

export type Outcome = {
  violations: string[]
  /** What it was about, what was done to it, which faults requests met, how doubts ended. */
  tallies: Record<'counts' | 'actions' | 'faults' | 'doubts', Tally>
  seconds: number
  /** How long this process did not get to run: beyond 300 ms the suite's own premises may not hold. */
  stallMs: number
  /** Everything that happened, in order, for whoever looks into a violation. */
  story: () => string
}

export async function runRound(stage: Stage, seed: number): Promise<Outcome> {
  const began = performance.now()
  const delays = monitorEventLoopDelay()
  delays.enable()
  const plan = planRound(seed)
  await using round = await Round.open(stage, plan)
  const [first] = plan.jobs
  if (first) await round.createJob(0, first)
  for (const { afterSends, action } of plan.actions) {
    await round.progress(afterSends)
    await act(round, plan, action)
  }
  await round.comeToRest()
  const evidence = await gather(round)
  return {
    violations: [...round.violations, ...(await judge(evidence))],
    tallies: {
      counts: countAll(evidence),
      actions: countActions(plan),
      faults: await stage.simulator.takeFaultsMet(),
      doubts: countDoubts(evidence),
    },
    seconds: (performance.now() - began) / 1000,
    stallMs: Math.round(delays.max / 1e6),
    story: () => [JSON.stringify(plan), ...round.diary, ...tellStory(evidence)].join('\n'),
  }
}
