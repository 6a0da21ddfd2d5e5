import type { Evidence } from './evidence.ts'
import type { Plan } from './plan.ts'

/** What there was of each thing. */
export type Tally = Record<string, number>

/** In the order in which they are told; what is not there yet comes behind. */
export function addTo(total: Tally, more: Tally): void {
  for (const [what, count] of Object.entries(more)) total[what] = (total[what] ?? 0) + count
}

export const inWords = (tally: Tally) =>
  Object.entries(tally)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ')

/** What a round was about, and how its doubts ended. */
export function countAll({ deliveries, jobs, accounts, ledger }: Evidence): Tally {
  const of = (status: string) => deliveries.filter((row) => row.status === status).length
  return {
    accounts: accounts.length,
    jobs: jobs.length,
    recipients: deliveries.length,
    sent: of('sent'),
    failed: of('failed'),
    skipped: of('skipped'),
    'in the ledger': ledger.length,
  }
}

/** How what was in doubt was settled. */
export function countDoubts({ story }: Evidence): Tally {
  const settled = story.filter(({ what, was }) => what === 'delivery' && was === 'doubt')
  const as = (became: string, reason?: string) =>
    settled.filter((line) => line.became === became && (!reason || line.reason === reason)).length
  return {
    'found sent': as('sent'),
    'not sent': as('queued'),
    'outcome unknown': as('failed', 'outcome_unknown'),
    'failed otherwise': as('failed') - as('failed', 'outcome_unknown'),
  }
}

/** The losses and steps of a plan by their kind; the faults are counted where they are met. */
export function countActions(plan: Plan): Tally {
  const tally: Tally = {}
  for (const { action } of plan.actions)
    if (action.kind !== 'fault' && action.kind !== 'create job') addTo(tally, { [action.kind]: 1 })
  return tally
}
