import { act } from './actors.ts'
import { type Evidence, gather, tellStory } from './evidence.ts'
import { judge } from './oracle.ts'
import { planRound } from './plan.ts'
import { Round } from './round.ts'
import type { Stage } from './stage.ts'

export type Outcome = {
  violations: string[]
  counts: Record<string, number>
  seconds: number
  /** Everything that happened, in order, for whoever looks into a violation. */
  story: () => string
}

export async function runRound(stage: Stage, seed: number): Promise<Outcome> {
  const began = performance.now()
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
    counts: countAll(evidence),
    seconds: (performance.now() - began) / 1000,
    story: () => [JSON.stringify(plan), ...round.diary, ...tellStory(evidence)].join('\n'),
  }
}

function countAll({ deliveries, jobs, story, ledger }: Evidence) {
  const of = (status: string) => deliveries.filter((row) => row.status === status).length
  return {
    jobs: jobs.length,
    recipients: deliveries.length,
    sent: of('sent'),
    failed: of('failed'),
    skipped: of('skipped'),
    'outcome unknown': story.filter(
      ({ reason, became }) => became === 'failed' && reason === 'outcome_unknown',
    ).length,
    'were in doubt': story.filter(({ became }) => became === 'doubt').length,
    'in the ledger': ledger.length,
  }
}
