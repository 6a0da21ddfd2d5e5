import type { Evidence, RunRow } from './evidence.ts'
import type { Plan } from './plan.ts'

/** How often each thing happened, in the order in which the report lists them. */
export type Tally = Record<string, number>

export function addTally(total: Tally, more: Tally): void {
  for (const [name, count] of Object.entries(more)) total[name] = (total[name] ?? 0) + count
}

export const formatTally = (tally: Tally) =>
  Object.entries(tally)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')

/** The size of a chaos run and how its deliveries ended. */
export function countResults({ deliveries, jobs, instances, ledger, runs }: Evidence): Tally {
  const countOf = (status: string) => deliveries.filter((row) => row.status === status).length
  return {
    instances: instances.length,
    jobs: jobs.length,
    recipients: deliveries.length,
    sent: countOf('sent'),
    failed: countOf('failed'),
    skipped: countOf('skipped'),
    'in the ledger': ledger.length,
    ...countRuns(runs),
  }
}

/** How the runs of series ended. */
function countRuns(runs: RunRow[]): Tally {
  const tally: Tally = {}
  for (const { state, reason } of runs) addTally(tally, { [`runs ${reason ?? state}`]: 1 })
  return tally
}

/** How deliveries in doubt were settled. */
export function countDoubts({ log }: Evidence): Tally {
  const settled = log.filter(({ kind, was }) => kind === 'delivery' && was === 'doubt')
  const countOf = (became: string, reason?: string) =>
    settled.filter((entry) => entry.became === became && (!reason || entry.reason === reason)).length
  return {
    'found sent': countOf('sent'),
    'not sent': countOf('queued'),
    'outcome unknown': countOf('failed', 'outcome_unknown'),
    'failed otherwise': countOf('failed') - countOf('failed', 'outcome_unknown'),
  }
}

/** The actions of a plan by kind. Faults are not counted here, but where requests meet them. */
export function countActions(plan: Plan): Tally {
  const tally: Tally = {}
  for (const { action } of plan.actions)
    if (action.kind !== 'fault' && action.kind !== 'create job') addTally(tally, { [action.kind]: 1 })
  return tally
}
