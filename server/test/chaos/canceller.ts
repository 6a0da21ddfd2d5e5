/** Cancels one job. The engine can be mutated only in a process of its own. */

import type { DatabaseAddress } from '../../src/database-url.ts'
import { connect } from '../../src/platform/database/connection.ts'
import { applyMutant, expectMutantApplied, type Mutant } from './mutants.ts'

export type CancellerOptions = { database: DatabaseAddress; jobId: number; mutant?: Mutant }

const { database, jobId, mutant }: CancellerOptions = JSON.parse(process.env.CANCELLER ?? '')
if (mutant) applyMutant(mutant)
const { cancelJob } = await import('../../src/engine/index.ts')
if (mutant) expectMutantApplied(mutant)

const db = connect(database, { max: 1, applicationName: 'canceller' })
await db.begin((tx) => cancelJob(tx, jobId, 'Ann'))
await db.end()
